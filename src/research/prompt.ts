/** Fills `{{name}}` in a prompt; a name without a value is a defect and throws. */
export function renderPrompt(template: string, values: Record<string, string | number>): string {
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`prompt value missing: ${name}`);
    return String(value);
  });
}
