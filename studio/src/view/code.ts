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
import { linter, lintGutter, lintKeymap, setDiagnosticsEffect, type Diagnostic } from "@codemirror/lint";
import { EditorState, StateField, type Text } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  WidgetType,
} from "@codemirror/view";
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
  /** Writes another text, which the reader can undo. */
  readonly write: (text: string) => void;
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
    faultsBelowLines,
    keymap.of([...completionKeymap, ...lintKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
  ];
  const stateOf = (doc: string): EditorState => EditorState.create({ doc, extensions });
  const view = new EditorView({ parent: place, state: stateOf(options.text) });
  const show = (text: string): void => {
    if (view.state.doc.toString() !== text) view.setState(stateOf(text));
  };
  const write = (text: string): void =>
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  return { show, write, close: () => view.destroy() };
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

/** What is wrong with a line, below it. */
class FaultText extends WidgetType {
  constructor(private readonly message: string) {
    super();
  }

  override eq(other: FaultText): boolean {
    return other.message === this.message;
  }

  override toDOM(): HTMLElement {
    const place = document.createElement("div");
    place.className = "cm-fault";
    place.textContent = this.message;
    return place;
  }
}

/** A fault is read without a pointer: its text follows its line. */
const faultsBelowLines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, { changes, effects, state }) {
    const found = effects.find((effect) => effect.is(setDiagnosticsEffect));
    return found?.is(setDiagnosticsEffect) ? textsBelow(found.value, state.doc) : shown.map(changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

function textsBelow(diagnostics: readonly Diagnostic[], doc: Text): DecorationSet {
  return Decoration.set(
    diagnostics.map(({ from, message }) =>
      Decoration.widget({ widget: new FaultText(message), block: true, side: 1 }).range(doc.lineAt(from).to),
    ),
    true,
  );
}

function complete(context: CompletionContext, schema: unknown): CompletionResult | null {
  const word = context.matchBefore(/[\w-]*/);
  if (!word || (word.from === word.to && !context.explicit)) return null;
  const found = completionsAt(context.state.sliceDoc(0, word.from), schema);
  if (found.length === 0) return null;
  const options = found.map(({ label, detail, info, type }) => ({ label, detail, info, type }));
  return { from: word.from, options, validFor: /^[\w-]*$/ };
}
