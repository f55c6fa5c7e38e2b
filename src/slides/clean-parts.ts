/** Corrects the shapes of a slide or layout: one paragraph style per paragraph, unique ids, names that say something. */
export function cleanShapes(xml: string): string {
  let id = 0;
  return (
    xml
      // pptxgenjs repeats the paragraph's properties before every run; the schema allows them once, at the beginning.
      .replace(/(<\/a:r>|<a:br\/>)<a:pPr\b[^>]*?(?:\/>|>[\s\S]*?<\/a:pPr>)/g, '$1')
      // A background ends in its effects, none here.
      .replace(/<\/a:solidFill><\/p:bgPr>/g, '</a:solidFill><a:effectLst/></p:bgPr>')
      // It also leaves a prompt mark on filled placeholders.
      .replace(
        /<p:ph\s+([^>]*?)\s*\/>/g,
        (_, attributes: string) => `<p:ph ${attributes.replace(/\s*hasCustomPrompt="1"/, '').replace(/\s+/g, ' ')}/>`,
      )
      .replace(
        /name="[^"]*"(><\/p:cNvPr><p:cNvSpPr\/><p:nvPr><p:ph [^>]*type="(title|body)")/g,
        (_, rest: string, type: string) => `name="${type === 'title' ? 'Title' : 'Content'}"${rest}`,
      )
      .replace(/<p:cNvPr id="\d+"/g, () => `<p:cNvPr id="${++id}"`)
  );
}

/** Makes a paragraph of each line of the speaker notes. */
export function cleanNotes(xml: string): string {
  return xml.replace(
    /<a:p><a:r>(<a:rPr [^>]*\/>)<a:t>([^<]*\n[^<]*)<\/a:t><\/a:r>/,
    (_, properties: string, text: string) => {
      const lines = text.split(/\r?\n/);
      return lines
        .map(
          (line, index) =>
            `<a:p>${line ? `<a:r>${properties}<a:t>${line}</a:t></a:r>` : ''}${index < lines.length - 1 ? '</a:p>' : ''}`,
        )
        .join('');
    },
  );
}

/** Puts the elements of a chart into the order the schema asks for, and takes out what does not belong there. */
export function cleanChart(xml: string): string {
  const text = xml.replace('<c:roundedCorners val="1"/>', '<c:roundedCorners val="0"/>');
  if (!text.includes('<c:lineChart>')) return text;
  return text
    .replace(/<c:invertIfNegative val="\d"\/>/g, '')
    .replace(/(<c:dLbls>(?:(?!<\/c:dLbls>)[\s\S])*<\/c:dLbls>)\s*(<c:marker>[\s\S]*?<\/c:marker>)/g, '$2$1');
}
