import { afterAll, afterEach, beforeAll } from 'vitest'
import { type ControlPlane, startControlPlane } from '../access/grants/testing.ts'
import type { ControlStore } from '../platform/database/database.ts'
import { startEverythingServer, startModernServer, type TestMcpServer } from './testing.ts'

/**
 * The platform API on a store with a running MCP server, for the tests of a `describe`; everything that a test starts is stopped
 * after it.
 */
export function openServersStage(store: () => ControlStore) {
	const stage = {} as { app: ControlPlane; everything: TestMcpServer }
	const ending: (() => Promise<void>)[] = []
	beforeAll(async () => {
		stage.everything = await startEverythingServer()
		stage.app = await startControlPlane(store())
	})
	afterEach(async () => {
		for (const end of ending.splice(0)) await end()
	})
	afterAll(async () => {
		await stage.app.close()
		await stage.everything.close()
	})
	const request = (method: string, path: string, body?: object, token = stage.app.owner.token) =>
		stage.app.request(method, path, { token, ...(body && { body }) })
	return Object.assign(stage, {
		request,
		get: (path: string, token = stage.app.owner.token) => request('GET', path, undefined, token),
		register: (body: object) => stage.app.create('/v1/mcp/servers', body),
		/** A server of the modern era. */
		modern: async (options = {}) => {
			const server = await startModernServer(options)
			ending.push(server.close)
			return server
		},
	})
}
