// What a thread needs to build the rows of calls, without the rest of the area.
export type { TextRules } from '../exchanges/exchange.ts'
export { type RuleSet, redactCall } from '../redaction/redactor.ts'
export { type AttributeValue, newSpanRow, releaseAttribute, type SpanRow } from '../span-row.ts'
export type { LoggedCall, RowSink, RowsOfKind } from './row-sink.ts'
