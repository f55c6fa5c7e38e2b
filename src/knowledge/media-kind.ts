/** The formats that can be read. */
export type DocumentKind = 'markdown' | 'text' | 'html' | 'pdf' | 'docx';

const BY_EXTENSION: Record<string, DocumentKind> = {
  md: 'markdown',
  markdown: 'markdown',
  txt: 'text',
  text: 'text',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  pdf: 'pdf',
  docx: 'docx',
};

const BY_MEDIA_TYPE: Record<string, DocumentKind> = {
  'text/markdown': 'markdown',
  'text/x-markdown': 'markdown',
  'text/plain': 'text',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
};

/** The extensions of readable files, without the dot. */
export const READABLE_EXTENSIONS: readonly string[] = Object.keys(BY_EXTENSION);

/**
 * The format of a document: by the extension of a file's name, else by its media type. For an address the media type of
 * the answer goes first. Undefined when it is not a readable one.
 */
export function documentKind(name: string, mediaType?: string): DocumentKind | undefined {
  const essence = mediaType?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (/^https?:\/\//i.test(name))
    return BY_MEDIA_TYPE[essence] ?? BY_EXTENSION[extensionOf(name.split(/[?#]/)[0] ?? '')];
  const extension = extensionOf(name);
  return extension === '' ? BY_MEDIA_TYPE[essence] : BY_EXTENSION[extension];
}

function extensionOf(name: string): string {
  return /[^/\\]\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
}
