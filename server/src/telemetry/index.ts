export {
	type ArrivalPlace,
	type ArrivalSignal,
	encodeArrivals,
	readArrivals,
	settledMs,
	signalsWithArrivals,
} from './arrivals/read-arrivals.ts'
export { selectTokens, tokensOfCall } from './attribute-index.ts'
export { type ArrivedSpans, arrivedSpansIn, type RecordedSide } from './blocks/arrived-spans.ts'
export { decodeSpanBlock } from './blocks/span-block.ts'
export { createRecordCalls, openCallRecording, type RecordCalls } from './call-recording/call-recording.ts'
export { RowMaker } from './call-rows/row-maker.ts'
export { exceptionsWithoutMessage, fromSpansOfTraces, isFailed, isOneOfIds } from './columns.ts'
export { openErasures } from './erasures/erasures.ts'
export {
	type CarriedResult,
	type Exchange,
	type ExchangePart,
	encodeExchange,
	exchangeColumnNames,
	type StoredText,
	type TextRules,
	type ToolUse,
	textRules,
} from './exchanges/exchange.ts'
export {
	findExchange,
	findExchangesBefore,
	findExchangesOf,
	findTextStarts,
	findTexts,
} from './exchanges/exchange-repository.ts'
export {
	findMessagesBefore,
	findMessagesByKeys,
	findMessagesOfTraces,
	findToolContent,
	type SpanWithMessages,
} from './exchanges/message-repository.ts'
export { recorderFigures } from './ingest-figures.ts'
export { telemetryMigrations, telemetryMigrationsFor, telemetryTables } from './migrations.ts'
export { storedExceptionMessage } from './normalise/exceptions.ts'
export { type OtlpAnswer, readPartialSuccess, readStatusMessage, refuseOtlp } from './otlp/answers.ts'
export { encodeRequest } from './otlp/encode-request.ts'
export { grpcOnly } from './otlp/grpc.ts'
export {
	asksForRequests,
	attributeConditions,
	callColumns,
	columnsOfConditions,
	eachCondition,
	isAnsweredByIndex,
	keyOfCondition,
	needsSpans,
	type SpanConditions,
	storedMessagesContaining,
} from './reads/attribute-conditions.ts'
export { openPlace, sealPlace } from './reads/cursor.ts'
export {
	actorOfCall,
	isNameless,
	parseDerivedSession,
	sessionGapMinutes,
} from './reads/derived-session.ts'
export { readStore } from './reads/span-repository.ts'
export { isShipped, openShedOfAll, openStatsOfAll, withClaims } from './recorder/across-processes.ts'
export { rowStoreOf } from './recorder/insert-missing.ts'
export { openRecorder } from './recorder/open-recorder.ts'
export type {
	AnnounceListener,
	CallLog,
	ConcludeListener,
	Intent,
	LogRecorder,
	LogSnapshot,
	Recorder,
	RecorderStats,
} from './recorder/recorder.ts'
export type { MakeRows } from './recorder/row-making.ts'
export type { RuleSet } from './redaction/redactor.ts'
export { openRedactionRules, type RedactContent } from './redaction/rules/redaction-rules.ts'
export { openRenormalisations } from './renormalise/renormalise.ts'
export { newestDayMs } from './retention/partitions.ts'
export { openRetention, setLongestRetention } from './retention/retention.ts'
export {
	callJoinColumnNames,
	callJoins,
	encodeCallJoin,
	encodeTraceLink,
	tagKeys,
	tagPrefixes,
	traceLinkColumnNames,
	traceLinks,
} from './rollups/call-joins.ts'
export * as rollups from './rollups/rollup-tables.ts'
export { completeChange, markHoursOf } from './rollups/rollup-tables.ts'
export type { SumTable } from './rollups/sum-tables.ts'
export * as sumTables from './rollups/sum-tables.ts'
export { keyStrengths, orderedKey, toolKey } from './rollups/view-keys.ts'
export { evaluationEvent, keys as scoreKeys } from './scores/scores.ts'
export {
	type LedgerList,
	ledgerList,
	ledgerTextOf,
	originSql,
	parseLedger,
	spanColumnNames,
} from './span-columns.ts'
export { type AttributeValue, newSpanRow, releaseAttribute, type SpanRow } from './span-row.ts'
export { encodeSpanRow } from './span-row-binary.ts'
export { pricedColumnNames } from './tables.ts'
export { type CallRules, type NewestSource, openTelemetryApi, withNewest } from './telemetry-api.ts'
