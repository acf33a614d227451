// The page for a PDF of one page, as long as it needs: laid out by the rules of print, measured, and the paper cut to it.
const kMargin = 24;  // CSS pixels

/** Before anything is drawn: the rules of print hold on the screen, too, so that what is measured is what is printed. */
export function layOutForPrint(): void {
  document.documentElement.setAttribute("data-theme", "light");
  let rules = "";
  for (const sheet of Array.from(document.styleSheets))
    for (const rule of Array.from(sheet.cssRules))
      if (rule instanceof CSSMediaRule && rule.conditionText === "print")
        rules += Array.from(rule.cssRules).map((r) => r.cssText).join("\n");
  addStyle(rules);
}

/** After everything is drawn. */
export function cutPaper(): void {
  const width = document.documentElement.clientWidth, height = Math.ceil(document.body.getBoundingClientRect().height) + 4;
  addStyle(`@page { size: ${width + 2 * kMargin}px ${height + 2 * kMargin}px; margin: ${kMargin}px; } html, body { overflow: hidden; }`);
}

function addStyle(text: string): void {
  const style = document.createElement("style");
  style.textContent = text;
  document.head.append(style);
}
