/** The TOML editor: CodeMirror, with completion from the schema and the engine's own errors at their lines. */

import {
  autocompletion,
  completionKeymap,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { linter, lintGutter, lintKeymap, type Diagnostic } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Fault } from "../backend/types";
import { completionsAt } from "../model/completion";

export interface Options {
  readonly text: string;
  readonly schema: unknown;
  readonly check: (text: string) => Promise<Fault | null>;
  readonly onText: (text: string) => void;
}

const highlighting = HighlightStyle.define([
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--good)" },
  { tag: [tags.propertyName, tags.atom], color: "var(--a)" },
  { tag: tags.number, color: "var(--b)" },
]);

export interface OpenEditor {
  /** Shows another text, with a history of its own; nothing if it is there already. */
  readonly show: (text: string) => void;
  readonly close: () => void;
}

/** Opens the editor in an element. */
export function openEditor(place: HTMLElement, options: Options): OpenEditor {
  const extensions = [
    lineNumbers(),
    highlightActiveLine(),
    history(),
    StreamLanguage.define(toml),
    syntaxHighlighting(highlighting),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": "Scenario as TOML", tabindex: "0" }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) options.onText(update.state.doc.toString());
    }),
    autocompletion({ override: [(context) => complete(context, options.schema)] }),
    linter((view) => faults(view, options.check), { delay: 300 }),
    lintGutter(),
    keymap.of([...completionKeymap, ...lintKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
  ];
  const stateOf = (doc: string): EditorState => EditorState.create({ doc, extensions });
  const view = new EditorView({ parent: place, state: stateOf(options.text) });
  const show = (text: string): void => {
    if (view.state.doc.toString() !== text) view.setState(stateOf(text));
  };
  return { show, close: () => view.destroy() };
}

/** The first fault of the text, at its line. */
async function faults(view: EditorView, check: Options["check"]): Promise<Diagnostic[]> {
  const { doc } = view.state;
  const fault = await check(doc.toString());
  if (!fault) return [];
  const line = doc.line(Math.min(doc.lines, Math.max(1, fault.line ?? 1)));
  const message = [fault.path, fault.reason, fault.remedy].filter((part) => part !== "").join(": ");
  return [{ from: line.from, to: Math.max(line.from, line.to), severity: "error", message }];
}

function complete(context: CompletionContext, schema: unknown): CompletionResult | null {
  const word = context.matchBefore(/[\w-]*/);
  if (!word || (word.from === word.to && !context.explicit)) return null;
  const found = completionsAt(context.state.sliceDoc(0, word.from), schema);
  if (found.length === 0) return null;
  const options = found.map(({ label, detail, info, type }) => ({ label, detail, info, type }));
  return { from: word.from, options, validFor: /^[\w-]*$/ };
}
