import { scopes } from '@signalbox/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refuseMcp } from '../../../gateway/index.ts'
import { refuseModel } from '../../../models/proxy/index.ts'
import { openTestSqlite } from '../../../platform/database/testing.ts'
import { sendJson } from '../../../platform/http/refusals.ts'
import type { Route, RouteFamily } from '../../../platform/http/route.ts'
import { refuseOtlp } from '../../../telemetry/index.ts'
import { startTestApp, type TestApp } from '../testing.ts'

function routeOf(family: RouteFamily, path: string): Route {
	return {
		id: `test.${family}`,
		method: 'POST',
		path,
		access: { kinds: ['platform_key', 'ingest_token'] },
		family,
		handle: (_request, response) => sendJson(response, 200, {}),
	}
}

describe('a call from an address that the credential does not allow', () => {
	let app: TestApp
	let database: Awaited<ReturnType<typeof openTestSqlite>>
	beforeAll(async () => {
		database = await openTestSqlite()
		const routes = [
			routeOf('mcp', '/mcp'),
			routeOf('model', '/proxy/openai/v1/models'),
			routeOf('otlp', '/v1/traces'),
		]
		const refusals = { mcp: refuseMcp, model: refuseModel, otlp: refuseOtlp }
		app = await startTestApp(database.store, {
			trustedProxies: ['127.0.0.0/8'],
			open: () => ({ routes, refusals }),
		})
	})
	afterAll(async () => {
		await app.close()
		await database.end()
	})

	const create = async (path: string, body: object) =>
		(await app.request('POST', path, { token: app.owner.token, body: { name: 'x', ...body } })).body
	const from = (address: string, path: string, token: string) =>
		app.request('POST', path, { token, headers: { 'x-forwarded-for': address } })

	it('is refused in the format of each protocol, and accepted from an allowed address', async () => {
		const allowed_addresses = ['198.51.100.0/24', '2001:db8::/32']
		const { key } = await create('/v1/keys', { scopes, allowed_addresses })
		const { token } = await create('/v1/ingest-tokens', { allowed_addresses })
		const shapes = [
			['/mcp', key, { jsonrpc: '2.0', error: { code: -32010, data: { code: 'address_not_allowed' } } }],
			['/proxy/openai/v1/models', key, { error: { type: 'permission_error', code: 'address_not_allowed' } }],
			[
				'/v1/traces',
				token,
				{ code: 7, message: expect.stringContaining('may not be used from 203.0.113.9') },
			],
		] as const
		for (const [path, secret, body] of shapes) {
			expect(await from('203.0.113.9', path, secret)).toMatchObject({ status: 403, body })
			for (const inside of ['198.51.100.77', '2001:db8:1::1', '::ffff:198.51.100.1'])
				expect((await from(inside, path, secret)).status).toBe(200)
		}
	})

	it('an X-Forwarded-For header set by the caller itself changes nothing', async () => {
		const { key } = await create('/v1/keys', { scopes, allowed_addresses: ['198.51.100.1'] })
		expect((await from('198.51.100.1, 203.0.113.9', '/mcp', key)).status).toBe(403)
	})
})
