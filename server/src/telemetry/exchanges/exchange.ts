import { label, namesOf, retentionColumn, smallCount, text, time } from '../columns.ts'
import type { RuleSet } from '../redaction/redactor.ts'
import { RowWriter } from '../row-writer.ts'
import { writeArray } from '../span-row-binary.ts'

/** A workspace's own redaction rules for texts, in the order of application. */
export interface TextRules {
	/** Equal for equal rules, so that compiled rules can be reused. */
	key: string
	/** RE2 patterns, and the labels that replace their matches. */
	patterns: readonly { pattern: string; label: string }[]
}

/** Undefined for a workspace without rules for content. */
export function textRules(set: RuleSet | undefined): TextRules | undefined {
	const rules = set?.rules.filter(
		({ appliesTo }) => appliesTo.includes('content') || appliesTo.includes('all'),
	)
	if (!set || !rules || rules.length === 0) return undefined
	return { key: set.key, patterns: rules.map(({ pattern, label }) => ({ pattern, label })) }
}

/** See `logRowFormat`. Formats of exchanges start at 193, those of message texts at 225. */
export const exchangeRowFormat = 194
export const messageRowFormat = 225

const ids = 'Array(String) CODEC(ZSTD(1))'
const hashes = 'Array(FixedString(16)) CODEC(ZSTD(1))'
const sizes = 'Array(UInt32) CODEC(ZSTD(1))'

/** The columns of the `exchanges` table in the order of the binary rows, as of row format 193. */
export const firstExchangeColumns = [
	['workspace_id', text],
	retentionColumn,
	/** When the call began. */
	['recorded_at', time],
	['trace_id', 'FixedString(16) CODEC(ZSTD(1))'],
	['span_id', 'FixedString(8) CODEC(ZSTD(1))'],
	['session_id', text],
	['user_id', text],
	/** The parts of the call in the order of the prompt, as four lists of equal length. */
	['part_kind', `Array(${label}) CODEC(ZSTD(1))`],
	['part_name', ids],
	['part_hash', hashes],
	['part_bytes', sizes],
	['tool_use_id', ids],
	['tool_use_name', ids],
	['tool_use_arguments', hashes],
	['result_id', ids],
	['result_name', ids],
	['result_bytes', sizes],
	['cache_marks', smallCount],
	['cache_seconds', smallCount],
] as const

/** Columns that row format 194 added. The lists are empty in older rows. */
export const weightColumns = [
	['part_weight', sizes],
	['result_part', sizes],
] as const

export const exchangeColumns = [...firstExchangeColumns, ...weightColumns] as const

/** The columns of the `messages` table: texts by hash, once per day. */
export const messageColumns = [
	['workspace_id', text],
	retentionColumn,
	['recorded_at', time],
	['hash', 'FixedString(16) CODEC(ZSTD(1))'],
	['text', text],
] as const

export const exchangeColumnNames = namesOf(exchangeColumns)
export const messageColumnNames = namesOf(messageColumns)

/** The kind of a part of a model call. `answer` is from the model; the others are from the request. */
type PartKind = 'settings' | 'tool' | 'system' | 'message' | 'answer'

/** One part of a model call, as its row refers to it. */
export interface ExchangePart {
	kind: PartKind
	/** A tool's name, or a message's role. */
	name: string
	/** 32 hex digits: the hash of the part as it was sent, without its cache markers. */
	hash: string
	/** Size of its JSON. */
	bytes: number
	/** Its size with each image replaced by a usual image size, a measure of its tokens. Default: `bytes`. */
	weight?: number
}

/** A tool call that the model requested. */
export interface ToolUse {
	id: string
	name: string
	/** See `hashOfArguments`; '' if the arguments cannot be parsed. */
	argumentsHash: string
}

/** A tool result in a request. */
export interface CarriedResult {
	id: string
	name: string
	bytes: number
	/** Index of the part that contains it. */
	part: number
}

/** The content of one model call, by hashes: the row that accompanies its span. */
export interface Exchange {
	workspaceId: string
	traceId: string
	spanId: string
	/** Start of the span. */
	startNs: bigint
	sessionId: string
	userId: string
	parts: readonly ExchangePart[]
	toolUses: readonly ToolUse[]
	results: readonly CarriedResult[]
	/** The number of cache markers in the request, and the longest lifetime they ask for, in seconds. */
	cacheMarks: number
	cacheSeconds: number
}

/** The text of a part, stored once per day under its hash. */
export interface StoredText {
	hash: string
	/** Redacted, and truncated at a limit. */
	text: string
}

const writer = new RowWriter(16 * 1024)

export function encodeExchange(exchange: Exchange, retentionDays: number): Buffer {
	writer.reset()
	writeExchange(writer, exchange, retentionDays)
	return writer.take()
}

/** Writes a row of `exchanges` in the order of its columns. */
export function writeExchange(w: RowWriter, exchange: Exchange, retentionDays: number): void {
	const { parts, toolUses, results } = exchange
	w.text(exchange.workspaceId)
	w.uint16(retentionDays)
	w.int64(exchange.startNs)
	w.hex(exchange.traceId, 16)
	w.hex(exchange.spanId, 8)
	w.text(exchange.sessionId)
	w.text(exchange.userId)
	writeArray(w, parts, ({ kind }) => w.text(kind))
	writeArray(w, parts, ({ name }) => w.text(name))
	writeArray(w, parts, ({ hash }) => w.hex(hash, 16))
	writeArray(w, parts, ({ bytes }) => w.uint32(bytes))
	writeArray(w, toolUses, ({ id }) => w.text(id))
	writeArray(w, toolUses, ({ name }) => w.text(name))
	writeArray(w, toolUses, ({ argumentsHash }) => w.hex(argumentsHash, 16))
	writeArray(w, results, ({ id }) => w.text(id))
	writeArray(w, results, ({ name }) => w.text(name))
	writeArray(w, results, ({ bytes }) => w.uint32(bytes))
	w.uint32(exchange.cacheMarks)
	w.uint32(exchange.cacheSeconds)
	writeArray(w, parts, ({ bytes, weight = bytes }) => w.uint32(weight))
	writeArray(w, results, ({ part }) => w.uint32(part))
}

type TextsOf = Pick<Exchange, 'workspaceId' | 'startNs'>

export function encodeTexts(call: TextsOf, texts: readonly StoredText[], retentionDays: number): Buffer {
	writer.reset()
	writeTexts(writer, call, texts, retentionDays)
	return writer.take()
}

/** Writes rows of `messages` in the order of its columns. */
export function writeTexts(
	w: RowWriter,
	{ workspaceId, startNs }: TextsOf,
	texts: readonly StoredText[],
	retentionDays: number,
): void {
	for (const { hash, text } of texts) {
		w.text(workspaceId)
		w.uint16(retentionDays)
		w.int64(startNs)
		w.hex(hash, 16)
		w.text(text)
	}
}
