import { unzipSync } from 'fflate';
import { fail } from '../errors.ts';
import { cleanChart, cleanNotes, cleanShapes } from './clean-parts.ts';
import { eastAsianFont, type Theme } from './theme.ts';
import { zipDeflated } from './zip.ts';

export interface PackageOptions {
  title: string;
  locale: string;
  theme: Theme;
  slides: number;
  /** Seconds since 1970 the file says it was made. */
  createdAt: number;
}

const NS = 'application/vnd.openxmlformats-officedocument.';
/** Content types of parts by their path; everything else goes by its extension. */
const PART_TYPES: [path: RegExp, type: string][] = [
  [/^ppt\/presentation\.xml$/, `${NS}presentationml.presentation.main+xml`],
  [/^ppt\/slides\/[^/]+\.xml$/, `${NS}presentationml.slide+xml`],
  [/^ppt\/slideLayouts\/[^/]+\.xml$/, `${NS}presentationml.slideLayout+xml`],
  [/^ppt\/slideMasters\/[^/]+\.xml$/, `${NS}presentationml.slideMaster+xml`],
  [/^ppt\/notesSlides\/[^/]+\.xml$/, `${NS}presentationml.notesSlide+xml`],
  [/^ppt\/notesMasters\/[^/]+\.xml$/, `${NS}presentationml.notesMaster+xml`],
  [/^ppt\/charts\/[^/]+\.xml$/, `${NS}drawingml.chart+xml`],
  [/^ppt\/theme\/[^/]+\.xml$/, `${NS}theme+xml`],
  [/^ppt\/presProps\.xml$/, `${NS}presentationml.presProps+xml`],
  [/^ppt\/viewProps\.xml$/, `${NS}presentationml.viewProps+xml`],
  [/^ppt\/tableStyles\.xml$/, `${NS}presentationml.tableStyles+xml`],
  [/^docProps\/app\.xml$/, `${NS}extended-properties+xml`],
  [/^docProps\/core\.xml$/, 'application/vnd.openxmlformats-package.core-properties+xml'],
];
const EXTENSION_TYPES: Record<string, string> = {
  xml: 'application/xml',
  rels: 'application/vnd.openxmlformats-package.relationships+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  xlsx: `${NS}spreadsheetml.sheet`,
};
const THEME_PART = 'ppt/theme/theme1.xml';
const NOTES_THEME_PART = 'ppt/theme/theme2.xml';

/**
 * Makes a clean package of what pptxgenjs wrote: schema order inside the parts, our theme, properties and language,
 * content types and relationships that name only parts that exist, unique shape ids, deflated entries, no folders.
 */
export function cleanPackage(raw: Uint8Array, options: PackageOptions): Uint8Array {
  const parts = new Map<string, Uint8Array | string>();
  const decoder = new TextDecoder();
  for (const [path, bytes] of Object.entries(unzipSync(raw))) {
    if (path.endsWith('/')) continue;
    parts.set(path, /\.(?:xml|rels)$/.test(path) ? cleanPart(path, decoder.decode(bytes), options) : bytes);
  }
  const theme = themePart(parts.get(THEME_PART) as string, options);
  parts.set(THEME_PART, theme);
  // Each master has a theme part of its own.
  parts.set(NOTES_THEME_PART, theme);
  const notesRels = 'ppt/notesMasters/_rels/notesMaster1.xml.rels';
  parts.set(notesRels, (parts.get(notesRels) as string).replace('theme1.xml', 'theme2.xml'));
  parts.set('docProps/core.xml', coreProperties(options));
  parts.set('docProps/app.xml', appProperties(options));
  parts.delete('[Content_Types].xml');
  checkRelationships(parts);
  return zipDeflated([['[Content_Types].xml', contentTypes([...parts.keys()])], ...parts]);
}

function cleanPart(path: string, xml: string, { locale, theme }: PackageOptions): string {
  if (path.endsWith('.rels')) return xml;
  const text = locale === 'en-US' ? xml : xml.replaceAll('lang="en-US"', `lang="${escapeXml(locale)}"`);
  if (path.startsWith('ppt/charts/')) return cleanChart(text);
  if (path.startsWith('ppt/notesSlides/')) return cleanNotes(text);
  if (path.startsWith('ppt/slideMasters/')) return cleanMaster(text, theme);
  return path.startsWith('ppt/slides/') || path.startsWith('ppt/slideLayouts/') ? cleanShapes(text) : text;
}

/** The master of a dark theme maps the colours the other way round; its background shows wherever a layout has none. */
function cleanMaster(xml: string, { isDark }: Theme): string {
  const mapped = isDark
    ? xml.replace('bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2"', 'bg1="dk1" tx1="lt1" bg2="dk2" tx2="lt2"')
    : xml;
  return mapped.replace(
    '<p:cSld><p:spTree>',
    '<p:cSld><p:bg><p:bgPr><a:solidFill><a:schemeClr val="bg1"/></a:solidFill><a:effectLst/></p:bgPr></p:bg><p:spTree>',
  );
}

function themePart(xml: string, { theme, locale }: PackageOptions): string {
  const colors = Object.entries(theme.palette).map(
    ([slot, color]) => `<a:${slot}><a:srgbClr val="${color}"/></a:${slot}>`,
  );
  const ordered = `<a:clrScheme name="${theme.name}">${colors.join('')}</a:clrScheme>`;
  const eastAsian = /^(?:zh|ja|ko)\b/.test(locale) ? eastAsianFont(locale) : '';
  return withoutExtensions(withColors(xml, ordered))
    .replace('name="Office Theme"', `name="${theme.name}"`)
    .replace('<a:fontScheme name="Office">', `<a:fontScheme name="${theme.name}">`)
    .replaceAll('<a:ea typeface=""/>', `<a:ea typeface="${eastAsian}"/>`);
}

function withColors(xml: string, scheme: string): string {
  const end = '</a:clrScheme>';
  const [from, to] = [xml.indexOf('<a:clrScheme'), xml.indexOf(end)];
  return from < 0 || to < from ? xml : xml.slice(0, from) + scheme + xml.slice(to + end.length);
}

/** The list of extensions at the end of a theme names what is not in the package. */
function withoutExtensions(xml: string): string {
  const end = '</a:extLst></a:theme>';
  const to = xml.indexOf(end);
  const from = to < 0 ? -1 : xml.lastIndexOf('<a:extLst>', to);
  return from < 0 ? xml : `${xml.slice(0, from)}</a:theme>${xml.slice(to + end.length)}`;
}

function coreProperties({ title, locale, createdAt }: PackageOptions): string {
  const time = new Date(createdAt * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
  return (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">' +
    `<dc:title>${escapeXml(title)}</dc:title><dc:creator>agent</dc:creator><cp:lastModifiedBy>agent</cp:lastModifiedBy><cp:revision>1</cp:revision>` +
    `<dcterms:created xsi:type="dcterms:W3CDTF">${time}</dcterms:created><dcterms:modified xsi:type="dcterms:W3CDTF">${time}</dcterms:modified>` +
    `<dc:language>${escapeXml(locale)}</dc:language></cp:coreProperties>`
  );
}

function appProperties({ slides }: PackageOptions): string {
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"><Application>Microsoft Office PowerPoint</Application><PresentationFormat>Widescreen</PresentationFormat><Slides>${slides}</Slides><Notes>${slides}</Notes><HiddenSlides>0</HiddenSlides></Properties>`;
}

function contentTypes(paths: string[]): string {
  const extensions = new Set(paths.map((path) => path.slice(path.lastIndexOf('.') + 1)));
  const defaults = [...extensions].map((extension) => {
    const type = EXTENSION_TYPES[extension];
    if (!type)
      throw fail('slides_package', 'Internal server error', { cause: new Error(`no content type for .${extension}`) });
    return `<Default Extension="${extension}" ContentType="${type}"/>`;
  });
  const overrides = paths.flatMap((path) => {
    const type = PART_TYPES.find(([pattern]) => pattern.test(path))?.[1];
    return type ? [`<Override PartName="/${path}" ContentType="${type}"/>`] : [];
  });
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${defaults.join('')}${overrides.join('')}</Types>`;
}

/** A package PowerPoint would have to repair is not handed out: every relationship leads to a part or is a web link. */
function checkRelationships(parts: ReadonlyMap<string, Uint8Array | string>): void {
  for (const [path, xml] of parts) {
    if (!path.endsWith('.rels') || typeof xml !== 'string') continue;
    const folder = path.slice(0, path.lastIndexOf('_rels/'));
    for (const [element] of xml.matchAll(/<Relationship\b[^<>]*>/g)) {
      const target = / Target="([^"]*)"/.exec(element)?.[1] ?? '';
      const isExternal = element.includes('TargetMode="External"');
      const isFine = isExternal
        ? element.includes('/relationships/hyperlink"') && /^https?:\/\//.test(target)
        : parts.has(resolvePart(folder, target));
      if (!isFine)
        throw fail('slides_package', 'Internal server error', { cause: new Error(`${path}: dangling relationship`) });
    }
  }
}

/** The part a relative or absolute target names. */
function resolvePart(folder: string, target: string): string {
  if (target.startsWith('/')) return target.slice(1);
  let base = folder;
  let rest = target;
  while (rest.startsWith('../')) {
    rest = rest.slice(3);
    base = base.slice(0, base.lastIndexOf('/', base.length - 2) + 1);
  }
  return base + rest;
}

function escapeXml(text: string): string {
  return text.replace(
    /[&<>"]/g,
    (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[character]!,
  );
}
