import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Parameters } from './engine.ts'
import { parseMultipart } from './multipart.ts'
import { settingsClause } from './request-settings.ts'
import {
	parseStatement,
	refuseInlineData,
	type Statement,
	StatementRefused,
	splitInsertFormat,
} from './sql-statement.ts'

export const bodyBytesMax = 512 * 1024 * 1024

/** What one HTTP request asks of the engine. */
export type EngineCall =
	| { kind: 'insert'; sql: string; format: string; body: Buffer }
	| { kind: 'read'; sql: string; format: string; parameters: Parameters; tag: string }
	| { kind: 'write'; sql: string; format: string; parameters: Parameters }

const readKeywords = new Set(['SELECT', 'WITH', 'SHOW', 'DESCRIBE', 'DESC', 'EXISTS', 'EXPLAIN', 'CHECK'])
/** These would stay on the connection for the next caller. */
const refusedKeywords = new Set(['SET', 'USE', 'BEGIN', 'COMMIT', 'ROLLBACK'])

/** Reads a request to `/` in the ClickHouse HTTP dialect. Throws StatementRefused with a sentence. */
export async function readEngineCall(request: IncomingMessage, search: URLSearchParams): Promise<EngineCall> {
	refuseUnsupported(request, search)
	const body = await readBody(request)
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
	body: Buffer,
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

/** A trailing SETTINGS clause is the query's own on reads; on DDL it would be the table's, hence behind FORMAT. */
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

async function readBody(request: IncomingMessage): Promise<Buffer> {
	const chunks: Buffer[] = []
	let length = 0
	for await (const chunk of request as AsyncIterable<Buffer>) {
		length += chunk.length
		if (length > bodyBytesMax) throw new StatementRefused('The request body is too large.')
		chunks.push(chunk)
	}
	return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length)
}
