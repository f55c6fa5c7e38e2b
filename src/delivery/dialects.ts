/** The markup of a chat platform. */
export interface Dialect {
  /** Makes a text show as it is. */
  text(value: string): string;
  strong: string;
  em: string;
  del: string;
  code(value: string): string;
  block(value: string, language: string): string;
  /** `label` is already in the dialect; `bare` means that it is the address itself. */
  link(label: string, href: string, bare: boolean): string;
  /** Begins every line of a quotation. */
  quote: string;
}

/** Telegram's MarkdownV2: every reserved character outside markup must be escaped (core.telegram.org/bots/api#markdownv2-style). */
export const telegramDialect: Dialect = {
  text: (value) => value.replace(/[_*[\]()~`>#+\-=|{}.!\\]/g, '\\$&'),
  strong: '*',
  em: '_',
  del: '~',
  code: (value) => `\`${escapeTelegramCode(value)}\``,
  block: (value, language) => `\`\`\`${/^[\w+-]*/.exec(language)![0]}\n${escapeTelegramCode(value)}\n\`\`\``,
  // A bare address becomes a link on its own.
  link: (label, href, bare) => (bare ? label : `[${label}](${href.replace(/[)\\]/g, '\\$&')})`),
  quote: '>',
};

function escapeTelegramCode(value: string): string {
  return value.replace(/[`\\]/g, '\\$&');
}

/** Slack's mrkdwn; escaping `<` also takes the power from `<!channel>` in a payload. */
export const slackDialect: Dialect = {
  text: escapeSlack,
  strong: '*',
  em: '_',
  del: '~',
  code: (value) => `\`${escapeSlack(value)}\``,
  block: (value) => `\`\`\`\n${escapeSlack(value)}\n\`\`\``,
  link: (label, href, bare) => {
    const address = escapeSlack(href).replaceAll('|', '%7C');
    return bare ? `<${address}>` : `<${address}|${label.replaceAll('|', '¦')}>`;
  },
  quote: '> ',
};

function escapeSlack(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** WhatsApp's markup; it has no links with a label. */
export const whatsappDialect: Dialect = {
  text: (value) => value,
  strong: '*',
  em: '_',
  del: '~',
  code: (value) => `\`${value}\``,
  block: (value) => `\`\`\`${value}\`\`\``,
  link: (label, href, bare) => (bare ? href : `${label} (${href})`),
  quote: '> ',
};
