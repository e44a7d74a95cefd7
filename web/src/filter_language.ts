// The filter language of `rank --where`, for a page without a server: src/store/filter.h has its grammar. Answers of
// both are compared by the browser tests.
import { cell, Columns, find } from "./columns";
import { bad } from "./colors";

type Value = number | string | undefined;
type Test = (row: number) => boolean;
type Operand = { of: (row: number) => Value; bare?: string; literal: boolean };

const tokens = /\s*(?:(&&|\|\||[<>!=]=|[=<>~!(),])|"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|`([^`]*)`|([\w.\-/:+]+))/y;

interface Token {
  kind: "op" | "string" | "quoted" | "word" | "end";
  text: string;
  at: number;
}

function scan(text: string): Token[] {
  const list: Token[] = [];
  tokens.lastIndex = 0;
  const end = text.trimEnd().length;
  while (tokens.lastIndex < end) {
    const at = tokens.lastIndex, m = tokens.exec(text);
    if (!m) throw new Error(`column ${at + 1}: this is no part of a filter`);
    const [, op, double, single, quoted, word] = m;
    if (op) list.push({ kind: "op", text: op, at });
    else if (quoted !== undefined) list.push({ kind: "quoted", text: quoted, at });
    else if (word) list.push({ kind: "word", text: word, at });
    else list.push({ kind: "string", text: (double ?? single).replace(/\\(.)/g, "$1"), at });
  }
  return [...list, { kind: "end", text: "", at: end }];
}

function isNumber(text: string): boolean {
  return text !== "" && !Number.isNaN(Number(text));
}

function compare(op: string, a: Value, b: Value): boolean {
  if (a === undefined || b === undefined) return false;
  if (op === "~") return String(a).toLowerCase().includes(String(b).toLowerCase());
  if (Number.isNaN(a) || Number.isNaN(b)) {
    const same = Number.isNaN(a) && Number.isNaN(b);
    return op === "=" || op === "==" ? same : op === "!=" && !same;
  }
  const numbers = (typeof a === "number" || isNumber(a)) && (typeof b === "number" || isNumber(b));
  const x = numbers ? Number(a) : String(a), y = numbers ? Number(b) : String(b);
  switch (op) {
    case "=": case "==": return x === y;
    case "!=": return x !== y;
    case "<": return x < y;
    case "<=": return x <= y;
    case ">": return x > y;
    default: return x >= y;
  }
}

class Reader {
  private at = 0;
  constructor(private list: Token[], private columns: Columns) {}

  private get next(): Token {
    return this.list[this.at];
  }

  private takes(...words: string[]): boolean {
    const is = (this.next.kind === "op" || this.next.kind === "word") && words.includes(this.next.text);
    if (is) this.at++;
    return is;
  }

  private fail(what: string): never {
    throw new Error(`column ${this.next.at + 1}: ${what}`);
  }

  whole(): Test {
    const test = this.either();
    if (this.next.kind !== "end") this.fail("expected `and` or `or`");
    return test;
  }

  private either(): Test {
    let test = this.both();
    while (this.takes("or", "||")) {
      const a = test, b = this.both();
      test = (row) => a(row) || b(row);
    }
    return test;
  }

  private both(): Test {
    let test = this.single();
    while (this.takes("and", "&&")) {
      const a = test, b = this.single();
      test = (row) => a(row) && b(row);
    }
    return test;
  }

  private single(): Test {
    if (this.takes("not", "!")) {
      const test = this.single();
      return (row) => !test(row);
    }
    if (this.takes("(")) {
      const test = this.either();
      if (!this.takes(")")) this.fail("expected `)`");
      return test;
    }
    if (this.next.kind === "word" && this.next.text.startsWith("tag:")) {
      const tag = this.list[this.at++].text.slice(4), tags = find(this.columns, "tags");
      return (row) => String(cell(tags, row) ?? "").split(", ").includes(tag);
    }
    return this.test();
  }

  private test(): Test {
    const left = this.operand();
    const op = this.next;
    if (op.kind === "op" && ["=", "==", "!=", "<", "<=", ">", ">=", "~"].includes(op.text)) {
      this.at++;
      const right = this.right(left);
      if (left.bare === "state") return (row) => stateIs(op.text, left.of(row) as string, right.of(row));
      return (row) => compare(op.text, left.of(row), right.of(row));
    }
    const no = this.takes("not");
    if (this.takes("in")) return this.among(left, no);
    if (no) this.fail("expected `in`");
    return (row) => {
      const v = left.of(row);
      return v !== undefined && v !== "false" && v !== 0 && v !== "";
    };
  }

  private among(left: Operand, no: boolean): Test {
    if (!this.takes("(")) this.fail("expected `(`");
    const list = [this.right(left)];
    while (this.takes(",")) list.push(this.right(left));
    if (!this.takes(")")) this.fail("expected `)`");
    return (row) => left.of(row) !== undefined && list.some((r) => compare("=", left.of(row), r.of(row))) !== no;
  }

  /** A bare word to the right is a text, unless what stands left of it is none of a trial's. */
  private right(left: Operand): Operand {
    const t = this.next;
    if (!left.literal && t.kind === "word" && !isNumber(t.text)) {
      this.at++;
      const value = t.text === "nan" ? NaN : t.text === "null" ? undefined : t.text;
      return { of: () => value, literal: true };
    }
    return this.operand();
  }

  private operand(): Operand {
    const t = this.next;
    if (t.kind !== "word" && t.kind !== "string" && t.kind !== "quoted") this.fail("expected a name, a number or a text");
    this.at++;
    if (t.kind === "string") return { of: () => t.text, literal: true };
    if (t.kind === "word" && isNumber(t.text)) return { of: () => Number(t.text), literal: true };
    const name = t.text.replace(/\.last$/, "");
    const own = t.kind === "quoted" ? this.columns.list.find((c) => c.name === name && c.source !== "trial") : find(this.columns, name);
    if (!own) throw new Error(`no trial of this page has \`${t.text}\``);
    return { of: (row) => cell(own, row), bare: t.kind === "word" ? t.text : undefined, literal: false };
  }
}

/** `bad` and `finished` stand for several states. */
function stateIs(op: string, state: string, wanted: Value): boolean {
  const many = wanted === "bad" ? bad : wanted === "finished" ? ["done", "stopped", ...bad] : undefined;
  return many ? many.includes(state) === (op !== "!=") : compare(op, state, wanted);
}

export function filterOf(text: string, columns: Columns): Test {
  return new Reader(scan(text), columns).whole();
}
