"""What the experiments share: claims and verdicts, the tool, data, charts, pages."""
