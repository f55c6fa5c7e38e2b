/** A source as the agents see it: numbered for citation. */
export interface NumberedSource {
  /** 1-based number used as `[n]`. */
  number: number;
  title: string;
  /** http(s) address or knowledge URI. */
  url: string;
  /** The text that was retrieved. */
  content: string;
}

/** What one finished step of the plan found. */
export interface Finding {
  title: string;
  description: string;
  /** The step's text, or the sentence that says why it failed. */
  result: string;
  failed: boolean;
}

/** A step as the planner wrote it. */
export interface PlanStep {
  need_search: boolean;
  title: string;
  description: string;
  step_type: 'research' | 'analysis' | 'processing';
}

/** The plan on the wire (content of the planner's message). */
export interface Plan {
  locale: string;
  has_enough_context: boolean;
  thought: string;
  title: string;
  steps: PlanStep[];
}

/** The work behind a model call, for engines that are not language models. */
export type AgentTask =
  | { kind: 'coordinate'; text: string; locale: string }
  | {
      kind: 'plan';
      question: string;
      locale: string;
      maxSteps: number;
      /** Result of the background investigation. */
      background: NumberedSource[];
      findings: Finding[];
      /** The user's edit of the former plan. */
      feedback?: string;
    }
  | { kind: 'step'; question: string; step: PlanStep; locale: string; findings: Finding[]; maxResults: number }
  | {
      kind: 'report';
      question: string;
      title: string;
      locale: string;
      style: string;
      findings: Finding[];
      sources: NumberedSource[];
    }
  /** Work that needs real writing; the extractive engine refuses it with `model_required`. */
  | { kind: 'write'; what: string };
