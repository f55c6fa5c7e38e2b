import { cutRanges, Finder } from '../lib/cut-ranges.ts';
/** Corrects the shapes of a slide or layout: one paragraph style per paragraph, unique ids, names that say something. */
export function cleanShapes(xml: string): string {
  let id = 0;
  return (
    withoutRepeatedProperties(xml)
      // A background ends in its effects, none here.
      .replace(/<\/a:solidFill><\/p:bgPr>/g, '</a:solidFill><a:effectLst/></p:bgPr>')
      // It also leaves a prompt mark on filled placeholders.
      .replace(
        /<p:ph\s([^<>]*)\/>/g,
        (_, attributes: string) =>
          `<p:ph ${attributes.replace('hasCustomPrompt="1"', '').replace(/\s+/g, ' ').trim()}/>`,
      )
      .replace(
        /name="[^"]*"(><\/p:cNvPr><p:cNvSpPr\/><p:nvPr><p:ph [^>]*type="(title|body)")/g,
        (_, rest: string, type: string) => `name="${type === 'title' ? 'Title' : 'Content'}"${rest}`,
      )
      .replace(/<p:cNvPr id="\d+"/g, () => `<p:cNvPr id="${++id}"`)
  );
}

/** pptxgenjs repeats the paragraph's properties before every run; the schema allows them once, at the beginning. */
function withoutRepeatedProperties(xml: string): string {
  const tags = new Finder(xml, '>');
  const closings = new Finder(xml, '</a:pPr>');
  return cutRanges(xml, /(?<=<\/a:r>|<a:br\/>)<a:pPr\b/g, ({ index }) => {
    const tagEnd = tags.next(index);
    if (tagEnd < 0) return undefined;
    if (xml[tagEnd - 1] === '/') return tagEnd + 1;
    const close = closings.next(tagEnd);
    return close < 0 ? undefined : close + '</a:pPr>'.length;
  });
}

/** Makes a paragraph of each line of the speaker notes. */
export function cleanNotes(xml: string): string {
  return xml.replace(
    /<a:p><a:r>(<a:rPr [^<>]*\/>)<a:t>([^<]*)<\/a:t><\/a:r>/g,
    (whole, properties: string, text: string) => {
      if (!text.includes('\n')) return whole;
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
  return withMarkersFirst(text.replace(/<c:invertIfNegative val="\d"\/>/g, ''));
}

/** The marker of a series stands before its labels. */
function withMarkersFirst(xml: string): string {
  const labels = new Finder(xml, '</c:dLbls>');
  const markers = new Finder(xml, '</c:marker>');
  let ordered = '';
  let position = 0;
  for (let from = xml.indexOf('<c:dLbls>'); from >= 0; from = xml.indexOf('<c:dLbls>', position)) {
    const labelsEnd = labels.next(from) + '</c:dLbls>'.length;
    const markerEnd = markers.next(labelsEnd) + '</c:marker>'.length;
    if (labelsEnd < from || markerEnd < labelsEnd) break;
    const isNext = xml.startsWith('<c:marker>', labelsEnd);
    ordered += xml.slice(position, from);
    if (isNext) ordered += xml.slice(labelsEnd, markerEnd);
    ordered += xml.slice(from, labelsEnd);
    position = isNext ? markerEnd : labelsEnd;
  }
  return ordered + xml.slice(position);
}
