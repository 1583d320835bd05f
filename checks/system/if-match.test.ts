import { type Operation, operationGroups, takesIfMatch } from '@signalbox/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'

const operations = Object.values(operationGroups).flatMap((group) => Object.values(group))
const withIfMatch = operations.filter((operation) => takesIfMatch(operation, operations))

/** How to create an object for the operations of a path, and a valid change of that object. */
interface Case {
	make(program: Program): Promise<string>
	body?(): object
	/** Query string for a DELETE that requires a confirmation. */
	query?: string
}

const name = () => `If-Match ${Math.random()}`
const post = async (program: Program, path: string, body: object) =>
	(await program.api<{ id: string }>('POST', path, body, 201)).id
const made = (path: string, body: object) => async (program: Program) =>
	`${path}/${await post(program, path, { name: name(), ...body })}`
const server = { url: 'http://127.0.0.1:9/mcp', transport_type: 'http' }
/** Tried only with a stale ETag, since it would delete the caller's own workspace. */
const onlyStale = 'workspaces.delete'

const cases: Record<string, Case> = {
	'/auth/me': { make: async () => '/auth/me', body: () => ({ time_zone: 'Europe/Berlin' }) },
	'/v1/agents/{id}': { make: made('/v1/agents', {}), body: () => ({ description: 'x' }) },
	'/v1/mcp/servers/{id}': {
		make: made('/v1/mcp/servers', server),
		body: () => ({ name: name(), url: server.url, description: 'x' }),
	},
	'/v1/mcp/servers/{id}/oauth': {
		make: async (program) => `${await made('/v1/mcp/servers', server)(program)}/oauth`,
		body: () => ({ mode: 'authorization_code' }),
	},
	'/v1/mcp/servers/{id}/program': {
		make: async (program) => {
			const { workspace } = await program.api<{ workspace: { id: string } }>('GET', '/auth/me')
			await program.api('PATCH', `/v1/workspaces/${workspace.id}/rights`, { stdio: true })
			const hosted = { command: '/bin/true', args: [] }
			return `${await made('/v1/mcp/servers', hosted)(program)}/program`
		},
		body: () => ({ allowed_hosts: ['api.example.com'] }),
	},
	'/v1/mcp/servers/{id}/access/{agentId}': {
		make: async (program) => {
			const agent = await post(program, '/v1/agents', { name: name() })
			const path = `${await made('/v1/mcp/servers', server)(program)}/access`
			await post(program, path, { agent_uuid: agent })
			return `${path}/${agent}`
		},
		body: () => ({ enabled: false }),
	},
	'/v1/toolsets/{id}': {
		make: made('/v1/toolsets', { tools: [], groups: [] }),
		body: () => ({ description: 'x' }),
	},
	'/v1/keys/{id}': { make: made('/v1/keys', {}), body: () => ({ name: 'x' }) },
	'/v1/ingest-tokens/{id}': { make: made('/v1/ingest-tokens', {}), body: () => ({ name: 'x' }) },
	'/v1/provider-keys/{id}': {
		make: async (program) => {
			const connection = { provider: 'openai', key: 'sk-test', base_url: 'http://127.0.0.1:9/v1' }
			const id = await post(program, '/v1/provider-keys', { name: `c${Date.now()}`, ...connection })
			return `/v1/provider-keys/${id}`
		},
		body: () => ({ key: 'sk-other' }),
	},
	'/v1/routes/{id}': {
		make: async (program) => {
			const route = { name: `r${Date.now()}`, targets: [{ connection: 'gpt' }] }
			return `/v1/routes/${await post(program, '/v1/routes', route)}`
		},
		body: () => ({ retries: 1 }),
	},
	'/v1/hooks/{id}': {
		make: made('/v1/hooks', { action: 'deny', pattern: 'x', stages: ['request'] }),
		body: () => ({ enabled: false }),
	},
	'/v1/budgets/{id}': {
		make: async (program) => {
			const budget = { name: 'Month', scope: 'workspace', limit: '5000000000', window: 'month' }
			return `/v1/budgets/${await post(program, '/v1/budgets', budget)}`
		},
		body: () => ({ limit: '6000000000' }),
	},
	'/v1/questions/{id}': {
		make: made('/v1/questions', { read: 'overview' }),
		body: () => ({ range: '1h' }),
	},
	'/v1/dashboards/{id}': {
		make: made('/v1/dashboards', { panels: [] }),
		body: () => ({ description: 'changed' }),
	},
	'/v1/alerts/{id}': {
		make: async (program) => {
			const question = await post(program, '/v1/questions', { name: name(), read: 'overview' })
			const alert = { question_id: question, figure: 'calls', condition: 'no_data' }
			return made('/v1/alerts', alert)(program)
		},
		body: () => ({ enabled: false }),
	},
	'/v1/model-limits/{id}': {
		make: async (program) => {
			const limit = { name: 'Calls', scope: 'workspace', concurrency: 5 }
			return `/v1/model-limits/${await post(program, '/v1/model-limits', limit)}`
		},
		body: () => ({ concurrency: 6 }),
	},
	'/v1/redaction-rules/{id}': {
		make: made('/v1/redaction-rules', { pattern: 'x', label: 'x', applies_to: ['content'] }),
		body: () => ({ label: 'y' }),
	},
	'/v1/webhooks/{id}': {
		make: async (program) => {
			const webhook = { url: 'http://127.0.0.1:2/', events: ['agents.*'] }
			return `/v1/webhooks/${await post(program, '/v1/webhooks', webhook)}`
		},
		body: () => ({ description: 'x' }),
	},
	'/v1/forwarders/{id}': {
		make: made('/v1/forwarders', {
			...{ name: 'f', kind: 'otlp', url: 'http://127.0.0.1:2/', signals: ['audit'], enabled: false },
		}),
		body: () => ({ name: 'x' }),
	},
	'/v1/retention': {
		make: async () => '/v1/retention',
		body: () => ({ traces_days: 7, logs_days: null, metrics_days: null }),
	},
	'/v1/sharing': { make: async () => '/v1/sharing', body: () => ({ enabled: true }) },
	'/v1/call-recording': {
		make: async () => '/v1/call-recording',
		body: () => ({ mode: 'best-effort' }),
	},
	'/v1/limits': { make: async () => '/v1/limits', body: () => ({ limits: [] }) },
	'/v1/settings': { make: async () => '/v1/settings', body: () => ({ signup: { value: 'invite' } }) },
	'/v1/workspaces/{id}': {
		make: async (program) => {
			const { workspace } = await program.api<{ workspace: { id: string } }>('GET', '/auth/me')
			return `/v1/workspaces/${workspace.id}`
		},
		body: () => ({ name: 'renamed' }),
		query: '?confirm=renamed',
	},
}

describe('If-Match', () => {
	const dataDir = newDataDir()
	let program: Program
	beforeAll(async () => {
		program = await startProgram(dataDir)
	})
	afterAll(async () => {
		await program?.kill('SIGTERM')
		removeDataDir(dataDir)
	})

	it('has a test case for every operation that takes it', () => {
		expect(withIfMatch.filter(({ path }) => !(path in cases)).map(({ id }) => id)).toEqual([])
	})

	const send = async ({ method }: Operation, path: string, { body, query }: Case, etag: string) => {
		const hasBody = method !== 'DELETE' && body !== undefined
		const response = await fetch(program.url + path + (method === 'DELETE' ? (query ?? '') : ''), {
			method,
			headers: {
				authorization: `Bearer ${program.token}`,
				'if-match': etag,
				...(hasBody && { 'content-type': 'application/json' }),
			},
			...(hasBody && { body: JSON.stringify(body()) }),
		})
		return { status: response.status, text: await response.text() }
	}

	it.each(
		withIfMatch.filter(({ path }) => path in cases).map((operation) => [operation.id, operation] as const),
	)('%s changes nothing with a stale ETag, and succeeds with the current one', async (_id, operation) => {
		const one = cases[operation.path] as Case
		const path = await one.make(program)
		const read = () => fetch(program.url + path, { headers: { authorization: `Bearer ${program.token}` } })
		const before = await read()
		const stale = await send(operation, path, one, '"stale.x"')
		expect(stale.status, stale.text).toBe(412)
		const after = await read()
		// The state of a hosted program changes by itself. The first part of its ETag covers only what clients can change.
		const goesOn = operation.path.endsWith('/program')
		const tagOf = ({ headers }: Response) => headers.get('etag')?.split(goesOn ? '.' : '\n')[0]
		expect(tagOf(after)).toBe(tagOf(before))
		if (!goesOn) expect(await after.text()).toBe(await before.text())
		if (operation.id === onlyStale) return
		const done = await send(operation, path, one, before.headers.get('etag') as string)
		expect(done.status, done.text).toBe(operation.status)
	})

	const changes = withIfMatch.filter(({ method, path }) => method !== 'DELETE' && path !== '/auth/me')
	it.each(changes.map((operation) => [operation.id, operation] as const))(
		'%s takes back the document of its GET, which changes nothing',
		async (_id, { method, path, status }) => {
			const at = await (cases[path] as Case).make(program)
			const observed =
				operations.find((other) => other.method === 'GET' && other.path === path)?.observed ?? []
			const before = await program.api<object>('GET', at)
			await program.api(method, at, before, status)
			const kept = Object.entries(before).filter(
				([name]) => name !== 'updated_at' && !observed.includes(name),
			)
			expect(await program.api('GET', at)).toMatchObject(Object.fromEntries(kept))
		},
	)
})
