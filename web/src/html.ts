// Markup in template strings, without a compiler of its own.
import { h } from "preact";
import htm from "htm";

export const html = htm.bind(h);
