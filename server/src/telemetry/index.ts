export {
	type ArrivalPlace,
	type ArrivalSignal,
	encodeArrivals,
	readArrivals,
	settledMs,
} from './arrivals/read-arrivals.ts'
export { decodeSpanBlock } from './blocks/span-block.ts'
export { openCallRecording } from './call-recording/open-call-recording.ts'
export { createRecordCalls, type RecordCalls } from './call-recording/record-calls.ts'
export { RowMaker } from './call-rows/row-maker.ts'
export { isFailed } from './columns.ts'
export { decodeSpanRows } from './decode-row.ts'
export { encodeSpanRow } from './encode-row.ts'
export { openErasures } from './erasures/erasures.ts'
export type { CarriedResult, Exchange, ExchangePart, StoredText, ToolUse } from './exchanges/exchange.ts'
export { exchangeColumnNames } from './exchanges/exchange-columns.ts'
export {
	findExchange,
	findExchangesBefore,
	findExchangesOf,
	findTextStarts,
	findTexts,
} from './exchanges/repository.ts'
export {
	findSaidBefore,
	findSaidByKeys,
	findSaidOfTraces,
	findToolContent,
	type SaidSpan,
} from './exchanges/said-repository.ts'
export { type TextRules, textRules } from './exchanges/text-rules.ts'
export { encodeExchange } from './exchanges/write-exchange.ts'
export { pricedColumnNames } from './ledger-versions.ts'
export { telemetryMigrations, telemetryMigrationsFor, telemetryTables } from './migrations.ts'
export { refuseOtlp } from './otlp/answers.ts'
export { encodeRequest } from './otlp/encode-request.ts'
export { grpcOnly } from './otlp/grpc/only.ts'
export { type OtlpAnswer, readPartialSuccess, readStatusMessage } from './otlp/read-answer.ts'
export { attributeConditions, eachCondition, keyOfCondition } from './reads/attribute-conditions.ts'
export { callColumns, columnsOfConditions, needsSpans } from './reads/call-columns.ts'
export { openPlace, sealPlace } from './reads/cursor.ts'
export {
	actorOfCall,
	isNameless,
	parseDerivedSession,
	sessionGapMinutes,
} from './reads/derived-session.ts'
export { readStore } from './reads/repository.ts'
export type {
	AnnounceListener,
	CallLog,
	ConcludeListener,
	FactsKind,
	Intent,
	LogRecorder,
	LogSnapshot,
	MakeRows,
	Recorder,
	RecorderStats,
} from './recorder/index.ts'
export {
	isShipped,
	openRecorder,
	openShedOfAll,
	openStatsOfAll,
	rowStoreOf,
	withClaims,
} from './recorder/index.ts'
export { recorderFigures } from './recorder-figures.ts'
export type { RedactContent } from './redaction/redact-content.ts'
export type { RuleSet } from './redaction/rule.ts'
export { openRedactionRules } from './redaction/rules/open-redaction-rules.ts'
export { openRenormalisations } from './renormalise/renormalise.ts'
export { openRetention } from './retention/open-retention.ts'
export { newestDayMs } from './retention/partitions.ts'
export { keepLongest } from './retention/set-retention.ts'
export {
	callJoinColumnNames,
	callJoins,
	callKeys,
	encodeCallJoin,
	encodeTraceLink,
	traceLinkColumnNames,
	traceLinks,
} from './rollups/call-joins.ts'
export { markHoursOf } from './rollups/mark-hours.ts'
export * as rollups from './rollups/rollup-tables.ts'
export type { SumTable } from './rollups/sum-tables.ts'
export * as sumTables from './rollups/sum-tables.ts'
export { keyStrengths, orderedKey, toolKey } from './rollups/view-keys.ts'
export { evaluationEvent, keys as scoreKeys } from './scores/evaluation.ts'
export { spanColumnNames } from './span-columns.ts'
export { type AttributeValue, newSpanRow, releaseAttribute, type SpanRow } from './span-row.ts'
export { type CallRules, openTelemetryApi } from './telemetry-api.ts'
