// What a thread needs to make the rows of calls, without the rest of the area.
export type { TextRules } from '../exchanges/text-rules.ts'
export { redactCall } from '../redaction/redact-call.ts'
export type { RuleSet } from '../redaction/rule.ts'
export type { SpanRow } from '../span-row.ts'
export type { LoggedCall, RowSink, RowsOfKind } from './row-sink.ts'
