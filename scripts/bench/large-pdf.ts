/** A valid PDF of `pages` pages of different text, written by hand: no library makes one this large quickly. */
export function largePdf(pages: number): Uint8Array<ArrayBuffer> {
  const objects: string[] = [];
  const add = (body: string) => objects.push(body);
  add('<< /Type /Catalog /Pages 2 0 R >>');
  add(
    `<< /Type /Pages /Count ${pages} /Kids [${Array.from({ length: pages }, (_, page) => `${4 + page * 2} 0 R`).join(' ')}] >>`,
  );
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  for (let page = 0; page < pages; page++) {
    const lines = Array.from({ length: 40 }, (_, line) => `(${sentence(page * 40 + line)}) Tj 0 -16 Td`).join('\n');
    const content = `BT /F1 10 Tf 50 780 Td\n${lines}\nET`;
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + page * 2} 0 R >>`,
    );
    add(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
  }
  let text = '%PDF-1.4\n';
  const offsets = objects.map((body, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return offset;
  });
  const start = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  text += offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return new TextEncoder().encode(text);
}

const WORDS = 'river tide moon harbour stone engine signal archive theory market garden winter copper ledger'.split(
  ' ',
);

function sentence(seed: number): string {
  const words = Array.from({ length: 12 }, (_, index) => WORDS[(seed * 7 + index * (1 + (seed % 5))) % WORDS.length]);
  return `Line ${seed}: the ${words.join(' ')} of case ${seed % 977}.`;
}
