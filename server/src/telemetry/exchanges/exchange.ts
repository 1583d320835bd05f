import { label, namesOf, retentionColumn, smallCount, text, time } from '../columns.ts'
import type { RuleSet } from '../redaction/redactor.ts'
import { RowWriter } from '../row-writer.ts'
import { writeArray } from '../span-row-binary.ts'

/** What a workspace's own rules take out of texts, for whoever applies it: in this order. */
export interface TextRules {
	/** The same for the same rules: what was compiled for them is used again. */
	key: string
	/** RE2, and what stands in the place of what it finds. */
	patterns: readonly { pattern: string; label: string }[]
}

/** Undefined for a workspace without rules for what people and models said. */
export function textRules(set: RuleSet | undefined): TextRules | undefined {
	const rules = set?.rules.filter(
		({ appliesTo }) => appliesTo.includes('content') || appliesTo.includes('all'),
	)
	if (!set || !rules || rules.length === 0) return undefined
	return { key: set.key, patterns: rules.map(({ pattern, label }) => ({ pattern, label })) }
}

/** See `logRowFormat`: exchanges count from 193, the texts of messages from 225. */
export const exchangeRowFormat = 194
export const messageRowFormat = 225

const ids = 'Array(String) CODEC(ZSTD(1))'
const hashes = 'Array(FixedString(16)) CODEC(ZSTD(1))'
const sizes = 'Array(UInt32) CODEC(ZSTD(1))'

/** The columns of the `exchanges` table in the order of the binary rows, as they were in row format 193. */
export const firstExchangeColumns = [
	['workspace_id', text],
	retentionColumn,
	/** When the call began. */
	['recorded_at', time],
	['trace_id', 'FixedString(16) CODEC(ZSTD(1))'],
	['span_id', 'FixedString(8) CODEC(ZSTD(1))'],
	['session_id', text],
	['user_id', text],
	/** The pieces of the call in the order of the prompt; four lists of one length. */
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

/** What row format 194 added; the lists are empty in rows from before. */
export const weightColumns = [
	['part_weight', sizes],
	['result_part', sizes],
] as const

export const exchangeColumns = [...firstExchangeColumns, ...weightColumns] as const

/** The columns of the `messages` table: texts under their hashes, once a day. */
export const messageColumns = [
	['workspace_id', text],
	retentionColumn,
	['recorded_at', time],
	['hash', 'FixedString(16) CODEC(ZSTD(1))'],
	['text', text],
] as const

export const exchangeColumnNames = namesOf(exchangeColumns)
export const messageColumnNames = namesOf(messageColumns)

/** What a piece of a model call is: `answer` is the model's, the others are of the request. */
type PartKind = 'settings' | 'tool' | 'system' | 'message' | 'answer'

/** One piece of a model call as its row refers to it. */
export interface ExchangePart {
	kind: PartKind
	/** Of a tool its name, of a message its role. */
	name: string
	/** 32 hex digits, of the piece as it was sent, without its marks for caching. */
	hash: string
	/** Of its JSON. */
	bytes: number
	/** The same with the usual size of a picture for each picture, a measure of its tokens; absent: its bytes. */
	weight?: number
}

/** A tool that the model asked for. */
export interface ToolUse {
	id: string
	name: string
	/** See `hashOfArguments`; '' where they cannot be read. */
	argumentsHash: string
}

/** A result of a tool that a request carries. */
export interface CarriedResult {
	id: string
	name: string
	bytes: number
	/** The piece that it is in, by its place among them. */
	part: number
}

/** What one model call carried, by hashes: the row beside its span. */
export interface Exchange {
	workspaceId: string
	traceId: string
	spanId: string
	/** Of the span. */
	startNs: bigint
	sessionId: string
	userId: string
	parts: readonly ExchangePart[]
	toolUses: readonly ToolUse[]
	results: readonly CarriedResult[]
	/** How many marks for caching the request has, and the longest time they ask for, in seconds. */
	cacheMarks: number
	cacheSeconds: number
}

/** The text of a piece, stored once a day under its hash. */
export interface StoredText {
	hash: string
	/** Redacted, and cut at a limit. */
	text: string
}

const writer = new RowWriter(16 * 1024)

export function encodeExchange(exchange: Exchange, retentionDays: number): Buffer {
	writer.reset()
	writeExchange(writer, exchange, retentionDays)
	return writer.take()
}

/** A row of `exchanges` in the order of its columns. */
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

/** Rows of `messages` in the order of its columns. */
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
