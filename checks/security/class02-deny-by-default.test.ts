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

// The matrix of every route × every kind of caller is checks/system/identity-matrix.test.ts; here is who has nothing at all.
describe('a route that is not on the public list', () => {
	const guarded = [...operations, ...dataPlane, ...models].filter(
		(route) => !['public', 'link'].includes(String(identityRules[route.id])),
	)

	// Besides MCPwn: Azure's MCP server asked nobody (CVE-2026-32211), Langfuse began a consent for the project that a caller named (CVE-2026-24055).
	it('refuses whoever brings no credential, by every method and in every spelling (CVE-2026-33032)', async () => {
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

	// Next.js ended its checks by `x-middleware-subrequest` (CVE-2025-29927), APISIX believed `x-real-ip` (CVE-2022-24112).
	it('is not opened by a header that says who calls', async () => {
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

describe('being signed in is not being allowed (CVE-2025-59305, CVE-2026-79748, CVE-2026-79744)', () => {
	let viewer: string
	let stranger: string
	beforeAll(async () => {
		viewer = await makePerson('viewer')
		stranger = await makeStranger()
	})

	// A viewer of LiteLLM made keys that could do everything (CVE-2025-0628).
	it('a viewer changes nothing', async () => {
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

	// Whoever had a key of LiteLLM changed the configuration of the proxy (CVE-2026-35029).
	it('the owner of a workspace rules nothing of the instance', async () => {
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

describe('who somebody is comes from the credential alone (CVE-2025-61928)', () => {
	it.each(['userId', 'user_id', 'workspace_id', 'workspaceId', 'role', 'operator', 'scopes'])(
		'%s in a body neither signs in nor lifts',
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
