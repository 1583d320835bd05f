import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { freeBytes, type ReusableMemory } from '../../free-bytes.ts'
import { bodyBytesHeader, bodyFileHeader, readBodyFile } from './child-process.ts'
import type { Parameters } from './engine.ts'

/** One SQL statement without trailing semicolon and blanks, and its first word in upper case. */
interface Statement {
	text: string
	keyword: string
	/** The text with all quoted strings, quoted names and comments blanked out, at the same length. */
	outline: string
}

/** A statement that we do not pass to the engine. The message is for the caller. */
export class StatementRefused extends Error {
	override name = 'StatementRefused'
}

// Quoted text ends at its own quote; a backslash escapes any character, and a doubled quote reads as two adjacent strings.
const opaque =
	/'(?:[^'\\]|\\[\s\S])*(?:'|$)|"(?:[^"\\]|\\[\s\S])*(?:"|$)|`(?:[^`\\]|\\[\s\S])*(?:`|$)|--[^\n]*|#[ !][^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g

/** Heredocs, typographic quotes and NUL: the engine may interpret them differently than we do. */
const uncertain = /[$‘’“”\0]/

/**
 * Checks that the text is exactly one statement. The engine runs every statement of a text, one after the other, so a text that is
 * not certainly one statement is refused.
 */
export function parseStatement(sql: string): Statement {
	const outline = sql.replace(opaque, (match) => blank(match))
	if (uncertain.test(outline))
		throw new StatementRefused('Dollar signs, curly quotes and NUL belong into quotes.')
	const code = outline.replace(/[\s;]+$/, '')
	if (code.includes(';')) throw new StatementRefused('Only one statement may be sent at a time.')
	const keyword = /^\s*\(*\s*([A-Za-z]+)/.exec(code)?.[1]?.toUpperCase()
	if (!keyword) throw new StatementRefused('The statement is empty.')
	return { text: sql.slice(0, code.length), keyword, outline: code }
}

/** Strings and names leave a mark so that the end of the statement is recognised; comments leave nothing. */
function blank(match: string): string {
	const isComment = match.startsWith('--') || match.startsWith('#') || match.startsWith('/*')
	return isComment ? ' '.repeat(match.length) : 'x'.repeat(match.length)
}

/** Splits `INSERT … FORMAT Name` (no data) into the statement and the format, or undefined when it is something else. */
export function splitInsertFormat(statement: Statement): { sql: string; format: string } | undefined {
	if (statement.keyword !== 'INSERT') return undefined
	const match = /\sFORMAT\s+([A-Za-z0-9]+)$/i.exec(statement.outline)
	if (!match?.[1]) return undefined
	return { sql: statement.text.slice(0, match.index), format: match[1] }
}

/** Refuses data written into the text of an INSERT, where a blank line would end the data and start a statement. */
export function refuseInlineData(statement: Statement): void {
	if (statement.keyword !== 'INSERT') return
	if (/\bFORMAT\s+[A-Za-z]/i.test(statement.outline)) {
		throw new StatementRefused(
			'The rows of an INSERT … FORMAT go into the body, the statement into the address.',
		)
	}
	if (/\n\s*\n/.test(statement.text))
		throw new StatementRefused('An INSERT with a blank line is not accepted.')
}

const numericSettings = new Set([
	'max_execution_time',
	'max_memory_usage',
	'max_threads',
	'max_result_rows',
	'max_result_bytes',
	'max_rows_to_read',
	'max_bytes_to_read',
	'max_block_size',
	'async_insert',
	'wait_for_async_insert',
	'insert_allow_materialized_columns',
	'input_format_defaults_for_omitted_fields',
	'insert_deduplicate',
	'max_partitions_per_insert_block',
	'deduplicate_blocks_in_dependent_materialized_views',
	'output_format_json_quote_64bit_integers',
	'output_format_json_quote_decimals',
	'mutations_sync',
	'alter_sync',
	'lightweight_deletes_sync',
	'optimize_throw_if_noop',
	'final',
])

/** Settings that concern an HTTP server only; the client sends some of them by default. */
const ignoredSettings = new Set([
	'wait_end_of_query',
	'send_progress_in_http_headers',
	'http_headers_progress_interval_ms',
	'enable_http_compression',
	'buffer_size',
	'default_format',
	'query',
	'query_id',
	'database',
	'session_id',
])

/**
 * The request's settings as a SETTINGS clause ('' if there are none). In the SQL they apply to one statement, while the engine's
 * own SET would stay on the connection for the next caller.
 * @param tag marks the running query so that it can be found and killed; hex digits and dashes
 */
function settingsClause(search: URLSearchParams, tag?: string): string {
	const parts = tag === undefined ? [] : [`log_comment='${tag}'`]
	for (const [name, value] of search) {
		if (name.startsWith('param_') || ignoredSettings.has(name)) continue
		parts.push(`${name}=${settingLiteral(name, value)}`)
	}
	return parts.length === 0 ? '' : ` SETTINGS ${parts.join(', ')}`
}

function settingLiteral(name: string, value: string): string {
	if (numericSettings.has(name) && /^\d{1,18}(\.\d{1,9})?$/.test(value)) return value
	if (name === 'insert_deduplication_token' && /^[A-Za-z0-9_.:/@-]{1,256}$/.test(value)) return `'${value}'`
	if (name === 'overflow_mode' || name === 'result_overflow_mode') {
		if (value === 'throw' || value === 'break') return `'${value}'`
	}
	throw new StatementRefused(`The setting ${name.slice(0, 64)} is not accepted, or its value is not.`)
}

const maxBodyBytes = 512 * 1024 * 1024

/** The call of the engine that one HTTP request asks for. */
export type EngineCall =
	| { kind: 'insert'; sql: string; format: string; body: Buffer<ArrayBuffer> }
	| { kind: 'read'; sql: string; format: string; parameters: Parameters; tag: string }
	| { kind: 'write'; sql: string; format: string; parameters: Parameters }

const readKeywords = new Set(['SELECT', 'WITH', 'SHOW', 'DESCRIBE', 'DESC', 'EXISTS', 'EXPLAIN', 'CHECK'])
/** These would stay on the connection for the next caller. */
const refusedKeywords = new Set(['SET', 'USE', 'BEGIN', 'COMMIT', 'ROLLBACK'])

/**
 * Parses a request to `/` in the ClickHouse HTTP dialect. `memory` may lend the buffer for an insert's body, to be given back.
 * Throws StatementRefused with a message for the caller.
 */
export async function readEngineCall(
	request: IncomingMessage,
	search: URLSearchParams,
	memory: ReusableMemory,
): Promise<EngineCall> {
	refuseUnsupported(request, search)
	const body = await readBody(request, memory)
	let call: EngineCall | null = null
	try {
		call = callOf(request, search, body)
		return call
	} finally {
		if (call?.kind !== 'insert') memory.release(body)
	}
}

function callOf(request: IncomingMessage, search: URLSearchParams, body: Buffer<ArrayBuffer>): EngineCall {
	const parameters = collectParameters(search)
	const multipartType = request.headers['content-type']?.startsWith('multipart/form-data')
	if (!multipartType) return toCall(search, search.get('query') ?? '', body, parameters)
	const parts = parseMultipart(String(request.headers['content-type']), body)
	const sql = parts.get('query') ?? search.get('query') ?? ''
	return toCall(search, sql, Buffer.alloc(0), { ...parameters, ...collectParameters(parts) })
}

function toCall(
	search: URLSearchParams,
	addressSql: string,
	body: Buffer<ArrayBuffer>,
	parameters: Parameters,
): EngineCall {
	const addressed = addressSql === '' ? undefined : parseStatement(addressSql)
	const insert = addressed && splitInsertFormat(addressed)
	if (insert) return { kind: 'insert', ...insert, sql: insert.sql + settingsClause(search), body }
	if (addressed && body.length > 0) {
		throw new StatementRefused('A body may only follow INSERT … FORMAT in the address.')
	}
	const statement = addressed ?? parseStatement(body.toString('utf8'))
	return toQuery(search, statement, parameters)
}

function toQuery(search: URLSearchParams, statement: Statement, parameters: Parameters): EngineCall {
	if (refusedKeywords.has(statement.keyword)) {
		throw new StatementRefused(`${statement.keyword} is not accepted: it would outlive the request.`)
	}
	refuseInlineData(statement)
	const format = search.get('default_format') ?? 'TabSeparated'
	if (!/^[A-Za-z0-9]+$/.test(format)) throw new StatementRefused('The default format is not a name.')
	if (!readKeywords.has(statement.keyword)) {
		return { kind: 'write', sql: withSettings(statement, settingsClause(search), format), format, parameters }
	}
	const tag = randomUUID()
	const sql = withSettings(statement, settingsClause(search, tag), format)
	return { kind: 'read', sql, format, parameters, tag }
}

/** On reads a trailing SETTINGS clause is the query's own. On DDL it would be the table's, so ours goes behind FORMAT. */
function withSettings(statement: Statement, clause: string, format: string): string {
	if (clause === '') return statement.text
	if (/\bFORMAT\s+\w+$/i.test(statement.outline)) return `${statement.text}\n${clause}`
	if (readKeywords.has(statement.keyword)) return `${statement.text}\nFORMAT ${format}${clause}`
	if (statement.keyword === 'INSERT') throw new StatementRefused('Settings are not accepted on this INSERT.')
	return `${statement.text}\nFORMAT Null${clause}`
}

function collectParameters(entries: Iterable<[string, string]>): Parameters {
	const parameters: Parameters = {}
	for (const [name, value] of entries) {
		if (name.startsWith('param_')) parameters[name.slice('param_'.length)] = value
	}
	return parameters
}

function refuseUnsupported(request: IncomingMessage, search: URLSearchParams): void {
	if (request.headers['content-encoding']) {
		throw new StatementRefused('Compressed requests are not accepted on the local socket.')
	}
	for (const name of ['role', 'session_id']) {
		if (search.has(name)) throw new StatementRefused(`${name} is not supported by the embedded engine.`)
	}
	const database = search.get('database')
	if (database && database !== 'default') {
		throw new StatementRefused('The embedded engine has the database "default" only.')
	}
}

/**
 * If the sender declares the length, chunks are copied into one buffer as they arrive and freed at once, before they count towards
 * V8's heap.
 */
async function readBody(request: IncomingMessage, memory: ReusableMemory): Promise<Buffer<ArrayBuffer>> {
	const length = Number(request.headers[bodyBytesHeader] ?? 0)
	if (!Number.isInteger(length) || length <= 0) return readPieces(request)
	if (length > maxBodyBytes) throw new StatementRefused('The request body is too large.')
	const body = memory.acquire(length)
	try {
		const file = request.headers[bodyFileHeader]
		const filled = await (typeof file === 'string' ? readBodyFile(file, body) : fill(body, request))
		if (filled < length) throw new StatementRefused('The request body is shorter than it says.')
		return body
	} catch (error) {
		memory.release(body)
		throw error
	}
}

async function fill(body: Buffer, request: IncomingMessage): Promise<number> {
	let length = 0
	for await (const chunk of request as AsyncIterable<Buffer<ArrayBuffer>>) {
		if (length + chunk.length > body.length)
			throw new StatementRefused('The request body is longer than it says.')
		body.set(chunk, length)
		length += chunk.length
		freeBytes(chunk)
	}
	return length
}

async function readPieces(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
	const chunks: Buffer<ArrayBuffer>[] = []
	let length = 0
	for await (const chunk of request as AsyncIterable<Buffer<ArrayBuffer>>) {
		length += chunk.length
		if (length > maxBodyBytes) throw new StatementRefused('The request body is too large.')
		chunks.push(chunk)
	}
	return chunks.length === 1 ? (chunks[0] as Buffer<ArrayBuffer>) : Buffer.concat(chunks, length)
}

/** The text parts of a multipart/form-data body by name. Files are not accepted. */
function parseMultipart(contentType: string, body: Buffer): Map<string, string> {
	const boundary = /boundary="?([^";]+)"?/.exec(contentType)?.[1]
	if (!boundary) throw new StatementRefused('The multipart body names no boundary.')
	const sections = `\r\n${body.toString('utf8')}`.split(`\r\n--${boundary}`)
	const parts = new Map<string, string>()
	for (const section of sections.slice(1, -1)) {
		const end = section.indexOf('\r\n\r\n')
		const name = /;\s*name="([A-Za-z0-9_.-]+)"/.exec(section.slice(0, end))?.[1]
		if (end < 0 || !name) throw new StatementRefused('The multipart body cannot be read.')
		parts.set(name, section.slice(end + 4))
	}
	return parts
}
