import { operationGroups } from '@signalbox/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { identityRules } from '../system/identity-rules.ts'
import { bearer, makePerson, makeStranger, send } from './attack.ts'

const id = '0192f0c1-2d3e-7a4b-8c5d-6e7f80910213'
const operations = Object.values(operationGroups)
	.flatMap((group) => Object.values(group))
	.map(({ id, method, path }) => ({ id, method, path: filled(path) }))
/** The data plane, which has no operations in the contract. */
const dataPlane = ['/mcp', '/mcp/x', '/mcp-key', '/mcp-key/x'].flatMap((path) =>
	['GET', 'POST', 'DELETE'].map((method) => ({ id: 'mcp.*', method, path })),
)
const models = ['/proxy/openai/v1/chat/completions', '/spotlight/openai/v1/models', '/v1/traces'].map(
	(path) => ({
		id: 'data-plane',
		method: 'POST',
		path,
	}),
)

function filled(path: string): string {
	return path.replaceAll(/\{\w+\}/g, id)
}

// checks/system/identity-matrix.test.ts tries every route with every kind of caller. This file tries callers without a credential.
describe('a route that is not on the public list', () => {
	const guarded = [...operations, ...dataPlane, ...models].filter(
		(route) => !['public', 'link'].includes(String(identityRules[route.id])),
	)

	// nginx-ui (MCPwn) and Azure's MCP server (CVE-2026-32211) did not authenticate callers, and Langfuse let a stranger start a consent
	// for a project (CVE-2026-24055).
	it('answers 401 without a credential, and no other method or spelling of the path opens it (CVE-2026-33032)', async () => {
		const open: string[] = []
		for (const { method, path } of guarded) {
			if ((await send(path, { method })).status !== 401) open.push(`${method} ${path}`)
			for (const [other, spelling] of [
				['HEAD', path],
				['OPTIONS', path],
				['TRACE', path],
				['PROPFIND', path],
				[method, `${path}/`],
				[method, path.toUpperCase()],
				[method, `${path};x=1`],
				[method, `${path}%20`],
				[method, `${path}.json`],
				[method, `/.${path}`],
				[method, `/${path}`],
			] as const) {
				const { status } = await send(spelling, { method: other })
				if (status < 400) open.push(`${other} ${spelling}: ${status}`)
			}
		}
		expect(open).toEqual([])
		console.log(`${guarded.length} guarded routes × 12 attempts without a credential`)
	})

	// Next.js skipped its checks for `x-middleware-subrequest` (CVE-2025-29927), and APISIX trusted `x-real-ip` (CVE-2022-24112).
	it('is not opened by a header that claims an identity', async () => {
		const claims = {
			'x-user-id': id,
			'x-forwarded-user': 'owner@example.org',
			'x-remote-user': 'owner@example.org',
			'x-workspace-id': id,
			'x-signalbox-agent': id,
			'x-forwarded-for': '127.0.0.1',
			'x-real-ip': '127.0.0.1',
			'x-portkey-admin': 'true',
			'x-middleware-subrequest': 'middleware',
			cookie: 'session=1; user=owner; access_token=x',
		}
		for (const { method, path } of guarded)
			expect((await send(path, { method, headers: claims })).status, `${method} ${path}`).toBe(401)
	})
})

describe('an authenticated caller is not authorized to do everything (CVE-2025-59305, CVE-2026-79748, CVE-2026-79744)', () => {
	let viewer: string
	let stranger: string
	beforeAll(async () => {
		viewer = await makePerson('viewer')
		stranger = await makeStranger()
	})

	// In LiteLLM, a viewer could create keys with all rights (CVE-2025-0628).
	it('a viewer cannot change anything', async () => {
		const changing = operations.filter(({ id, method }) => {
			const rule = identityRules[id]
			return (
				method !== 'GET' &&
				typeof rule === 'object' &&
				'role' in rule &&
				![rule.role].flat().includes('viewer')
			)
		})
		expect(changing.length).toBeGreaterThan(40)
		for (const { method, path } of changing) {
			const answer = await send(path, {
				method,
				headers: bearer(viewer),
				body: method === 'DELETE' ? undefined : {},
			})
			expect(answer.status, `${method} ${path}`).toBe(403)
		}
	})

	// In LiteLLM, anyone with a key could change the configuration of the proxy (CVE-2026-35029).
	it('the owner of a workspace cannot administer the instance', async () => {
		const instance = operations.filter(({ id }) => identityRules[id] === 'operator')
		expect(instance.length).toBeGreaterThan(8)
		for (const { method, path } of instance) {
			const answer = await send(path, {
				method,
				headers: bearer(stranger),
				body: method === 'GET' || method === 'DELETE' ? undefined : {},
			})
			expect(answer.status, `${method} ${path}`).toBe(403)
		}
	})
})

describe('the identity of a caller comes only from the credential (CVE-2025-61928)', () => {
	it.each(['userId', 'user_id', 'workspace_id', 'workspaceId', 'role', 'operator', 'scopes'])(
		'%s in a body neither authenticates the caller nor adds rights',
		async (field) => {
			const member = await makePerson('member')
			const claim = { [field]: field === 'scopes' ? ['keys:write'] : id }
			expect((await send('/v1/keys', { body: { name: 'x', ...claim } })).status).toBe(401)
			expect(
				(await send('/v1/keys', { body: { name: 'x', ...claim }, headers: bearer(member) })).status,
			).toBe(403)
			expect(
				(await send('/v1/agents', { body: { name: 'x', ...claim }, headers: bearer(member) })).status,
			).toBe(400)
		},
	)
})
