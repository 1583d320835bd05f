import { describe, expect, it } from 'vitest'
import { readSource, repositoryFiles } from '../src/source-files.ts'
import { asOwner, bearer, make, send } from './attack.ts'

const attacks = [
	"' OR '1'='1",
	"' OR 1=1 --",
	"'; DROP TABLE credentials; --",
	"') UNION SELECT secret_hash FROM credentials --",
	'" OR ""="',
	"\\' OR 1=1 --",
	"1'||(SELECT sqlite_version())||'",
	"'||pg_sleep(5)||'",
	"' AND randomblob(1000000000) --",
	"'); ATTACH DATABASE '/tmp/x' AS x; --",
	'%27%20OR%201=1',
	'$1',
	'{x:String}',
	"'; SELECT * FROM url('http://127.0.0.1:1/') --",
	"' UNION ALL SELECT file('/etc/passwd') --",
	'%',
	'_',
	'`',
	'/**/',
	'\u02bc OR 1=1',
]

/** The short form tries each attack with a third of the telemetry queries, and each query with a third of the attacks. */
const queries = ['source', 'agent', 'session_id', 'name', 'start', 'end', 'filter', 'group_by', 'interval']
const isLong = process.env.LONG_TESTS !== undefined

// LiteLLM before 1.83.7 inserted the key into the SQL of its key check (CVE-2026-42208).
describe('SQL in a credential', () => {
	it.each(attacks)('%j is an unknown key and nothing else', async (attack) => {
		const latin = encodeURIComponent(attack)
		for (const value of [attack, `sk_service_${attack}`, `sk_service_${'a'.repeat(43)}${attack}`].map(
			(text) => (/^[\x20-\x7e]*$/.test(text) ? text : latin),
		)) {
			for (const headers of [
				bearer(value),
				{ authorization: value },
				{ 'x-api-key': value },
				{ 'x-service-api-key': value },
			]) {
				const answers = await Promise.all([
					send('/agent/list', { headers }),
					send('/mcp', { headers, body: { jsonrpc: '2.0', id: 1, method: 'ping' } }),
					send('/v1/traces', { headers, body: { resourceSpans: [] } }),
				])
				expect(answers.map(({ status }) => status)).toEqual([401, 401, 401])
			}
		}
		expect((await send('/auth/refresh', { body: { refresh_token: attack } })).status).toBeLessThan(500)
	})
})

// SQL injection was possible in LiteLLM's spend reports (CVE-2024-4890) and lists of keys (CVE-2025-45809), and in PostHog's queries
// to ClickHouse (CVE-2025-1520).
describe('SQL in query parameters', () => {
	it.each(attacks)('%j is searched for as plain text', async (attack) => {
		const text = encodeURIComponent(attack)
		const agent = await make('/v1/agents', { name: `x ${attack}` })
		for (const path of ['/v1/agents?q=', '/v1/mcp/servers?q=']) {
			const answer = await asOwner(path + text)
			expect(answer.status).toBe(200)
			// Interpreted as a LIKE pattern, it would match everything.
			const found = (answer.body.agents ?? answer.body.mcp_servers) as { name: string }[]
			expect(found.every(({ name }) => name.toLowerCase().includes(attack.toLowerCase()))).toBe(true)
		}
		for (const path of [
			'/v1/agents?sort=',
			'/v1/agents?order=',
			'/v1/agents?status=',
			'/v1/audit?cursor=',
			'/v1/telemetry/spans?cursor=',
		])
			expect((await asOwner(path + text)).status, path).toBe(400)
		for (const path of ['/v1/agents/', '/v1/mcp/servers/', '/v1/keys/', '/v1/telemetry/traces/'])
			expect((await asOwner(path + text)).status, path).toBeOneOf([400, 404])
		const asked = queries.filter((_, at) => isLong || (at + attacks.indexOf(attack)) % 3 === 0)
		for (const query of asked)
			for (const path of ['/v1/telemetry/spans', '/v1/spotlight/overview', '/v1/spotlight/timeseries'])
				expect((await asOwner(`${path}?${query}=${text}`)).status).toBeLessThan(500)
		expect((await asOwner(`/v1/agents/${agent.uuid}`)).body.name).toBe(`x ${attack}`)
	})
})

/**
 * Files that may insert values into SQL: the first inserts names of our own constraints from PostgreSQL's catalog, the second a number
 * from the header of a file.
 */
const ownNames = [
	'server/src/platform/database/control-copy.ts',
	'server/src/platform/database/sqlite/checkpoint-thread.ts',
]

describe('the source', () => {
	it('builds no SQL statement from strings', () => {
		const raw = repositoryFiles('.ts').filter(
			(path) =>
				/^server\/src\//.test(path) &&
				!/test/.test(path) &&
				/\bsql\.(raw|lit)\(|\.exec\(`[^`]*\$\{|CompiledQuery\.raw\(/.test(readSource(path)),
		)
		expect(raw.filter((path) => !ownNames.includes(path))).toEqual([])
	})
})
