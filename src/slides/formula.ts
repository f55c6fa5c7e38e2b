/** LaTeX commands with a character of their own. */
const SYMBOLS: Record<string, string> = Object.fromEntries(
  (
    'alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ nu ν xi ξ pi π rho ρ ' +
    'sigma σ tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Phi Φ Psi Ψ Omega Ω ' +
    'times × cdot · div ÷ pm ± mp ∓ leq ≤ le ≤ geq ≥ ge ≥ neq ≠ ne ≠ approx ≈ equiv ≡ sim ∼ propto ∝ infty ∞ partial ∂ nabla ∇ sum ∑ prod ∏ ' +
    'int ∫ oint ∮ in ∈ notin ∉ subset ⊂ subseteq ⊆ cup ∪ cap ∩ emptyset ∅ forall ∀ exists ∃ neg ¬ land ∧ lor ∨ to → rightarrow → Rightarrow ⇒ ' +
    'leftarrow ← leftrightarrow ↔ Leftrightarrow ⇔ implies ⇒ mapsto ↦ ldots … cdots ⋯ dots … circ ∘ degree ° star ⋆ ast ∗ hbar ℏ ell ℓ Re ℜ Im ℑ ' +
    'langle ⟨ rangle ⟩ mid | ll ≪ gg ≫ perp ⊥ parallel ∥ angle ∠ prime ′ otimes ⊗ oplus ⊕ top ⊤'
  )
    .split(' ')
    .reduce<[string, string][]>((pairs, word, index, all) => {
      if (index % 2 === 0) pairs.push([word, all[index + 1]!]);
      return pairs;
    }, []),
);
/** Commands that are written as they are named. */
const WORDS =
  /^(?:log|ln|exp|sin|cos|tan|cot|arcsin|arccos|arctan|sinh|cosh|tanh|max|min|sup|inf|lim|det|dim|ker|gcd|arg|argmax|argmin|Pr)$/;
/** Marks around raised and lowered text while a formula is read; private-use characters, taken out of what comes in. */
const MARKS = { upper: ['\ue000', '\ue001'], lower: ['\ue002', '\ue003'] } as const;
const MAX_FORMULA = 4_000;

/** Splits a text at its `$…$` and `\(…\)` formulas, which come out in Unicode; sums of money are left alone. */
export function convertMath(text: string): { text: string; runs?: FormulaRun[] }[] {
  if (!text.includes('$') && !text.includes('\\(')) return [{ text }];
  const parts: { text: string; runs?: FormulaRun[] }[] = [];
  let end = 0;
  for (const match of text.matchAll(
    /`[^`\n]*`|\\\(((?:(?!\\\().){1,500}?)\\\)|\$\$([^$]{1,500})\$\$|\$(?=\S)([^$\n]{1,500}?)(?<=\S)\$(?!\d)/g,
  )) {
    const source = match[1] ?? match[2] ?? match[3];
    // Code holds no formulas, and "$5 and 10$" is about money.
    if (source === undefined || !/[\\^_=<>+]|^[a-zA-Z]$|^\w\(.*\)$/.test(source)) continue;
    if (match.index > end) parts.push({ text: text.slice(end, match.index) });
    parts.push({ text: source, runs: formulaRuns(source) });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

/** A piece of a formula; raised and lowered text is smaller. */
export interface FormulaRun {
  text: string;
  italic: true;
  script?: 'upper' | 'lower';
}

/** LaTeX as runs of Unicode text with raised and lowered parts; line breaks stay in the text. */
export function formulaRuns(latex: string): FormulaRun[] {
  const runs: FormulaRun[] = [];
  const open: ('upper' | 'lower')[] = [];
  for (const piece of latexToText(latex).split(/([\ue000-\ue003])/)) {
    if (piece === MARKS.upper[0]) open.push('upper');
    else if (piece === MARKS.lower[0]) open.push('lower');
    else if (piece === MARKS.upper[1] || piece === MARKS.lower[1]) open.pop();
    else if (piece !== '') runs.push({ text: piece, italic: true, ...(open[0] ? { script: open[0] } : {}) });
  }
  return runs;
}

/** LaTeX as readable Unicode text: symbols, fractions, roots, powers; what is not known keeps its LaTeX spelling. */
function latexToText(latex: string): string {
  if (latex.length > MAX_FORMULA) return latex;
  let text = latex
    .replace(/[\ue000-\ue003]/g, '')
    .replace(
      /\\begin\{\w+\*?\}|\\end\{\w+\*?\}|\\(?:left|right|displaystyle|limits|nonumber|quad|qquad|,|;|!|:)(?![a-zA-Z])/g,
      ' ',
    )
    .replace(/\\\\/g, '\n')
    .replace(/&/g, ' ')
    .replace(/\\([%$#_&{}])/g, '$1')
    .replace(/\\ /g, ' ');
  // From the inside out: an argument without braces of its own is replaced until none is left.
  for (let depth = 0; depth < 12; depth++) {
    const next = text
      .replace(
        /\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}/g,
        (_, top: string, bottom: string) => `${group(top)}/${group(bottom)}`,
      )
      .replace(/\\sqrt\s*\{([^{}]*)\}/g, (_, inner: string) => `√${group(inner)}`)
      .replace(
        /\\(?:text|mathrm|mathbf|mathit|mathcal|mathbb|operatorname|mathsf|textbf|bar|hat|vec|tilde|overline)\*?\s*\{([^{}]*)\}/g,
        '$1',
      )
      .replace(/\^\{([^{}]*)\}/g, (_, inner: string) => script(inner, 'upper'))
      .replace(/_\{([^{}]*)\}/g, (_, inner: string) => script(inner, 'lower'));
    if (next === text) break;
    text = next;
  }
  return text
    .replace(/\\([a-zA-Z]+)/g, (whole, name: string) =>
      Object.hasOwn(SYMBOLS, name) ? SYMBOLS[name]! : WORDS.test(name) ? name : whole,
    )
    .replace(/\^(\w)/g, (_, one: string) => script(one, 'upper'))
    .replace(/_(\w)/g, (_, one: string) => script(one, 'lower'))
    .replace(/-/g, '−')
    .replace(/[ \t]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .trim();
}

function group(text: string): string {
  const inner = text.trim();
  return /^[\w.∞α-ωΑ-Ω\\]+$/.test(inner) ? inner : `(${inner})`;
}

function script(text: string, place: 'upper' | 'lower'): string {
  const [open, close] = MARKS[place];
  return `${open}${text.trim()}${close}`;
}
