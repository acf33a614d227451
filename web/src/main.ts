// Shows the document embedded in the page. With #single-page it is laid out for a PDF of one page.
import "./page.css";
import { showPage } from "./page";
import { cutPaper, layOutForPrint } from "./single_page";
import type { Report } from "./types";

const text = document.getElementById("plumb-document")!.textContent ?? "{}";
const single = location.hash === "#single-page";
if (single) layOutForPrint();
void showPage(JSON.parse(text) as Report, document.getElementById("plumb-page")!).then(() => single && cutPaper());
