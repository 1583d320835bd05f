import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import {
	type ProtectedServer,
	startAuthorizationServer,
	startProtectedServer,
	type TestAuthorizationServer,
} from '../../server/src/access/upstream-credentials/testing.ts'
import { launchBrowser, leaveBrowser, openPage, type Watched } from './browser.ts'
import { type FreshProgram, startFreshProgram } from './fresh-program.ts'
import { fill, heading, operator, press } from './people-stage.ts'

const programs = resolve(import.meta.dirname, '../../server/src/servers/programs')

/** A stdio server for tests, in a folder that hosted programs may read. */
export const testingProgram = resolve(programs, 'testing-program.mjs')

export interface Upstreams {
	program: FreshProgram
	/** `oidc-provider`. `upstream` is an MCP server that accepts only its tokens. */
	authorization: TestAuthorizationServer
	upstream: ProtectedServer
	browser: Browser
	watched: Watched
	page: Page
	session(): Promise<Awaited<ReturnType<BrowserContext['storageState']>>>
	open(path: string): Promise<unknown>
	/** Calls the API from the signed-in page. */
	call<T = Record<string, unknown>>(method: string, path: string, body?: object): Promise<T>
	/** Signs in and consents on the pages of the authorization server, which accepts any password. */
	agree(page: Page): Promise<void>
	/** Content policy violations, requests to other hosts and script errors, except those of the authorization server. */
	faults(): string[]
	stop(): Promise<void>
}

/** Starts the program, signed in as its operator and allowed to run programs, and MCP servers that require a token. */
export async function startUpstreams(): Promise<Upstreams> {
	const registry = await startEmptyRegistry()
	const authorization = await startAuthorizationServer()
	const upstream = await startProtectedServer(() => authorization.issuer, authorization.isGood)
	const settings = { SIGNALBOX_PROGRAM_PATHS: programs, npm_config_registry: registry.url }
	const program = await startFreshProgram(settings, { withTables: true })
	const browser = await launchBrowser()
	const watched = await openPage(browser, program.url)
	const { page, context } = watched
	await page.goto(program.setupLink)
	await fill(page, 'E-mail', operator.email)
	await fill(page, 'Password', operator.password)
	await press(page, 'Create admin account')
	await heading(page, 'Getting started')
	const me = await callFrom<{ workspace: { id: string } }>(page, '', 'GET', '/auth/me')
	const workspace = me.workspace.id
	const call: Upstreams['call'] = (method, path, body) => callFrom(page, workspace, method, path, body)
	await call('PATCH', `/v1/workspaces/${workspace}/rights`, { stdio: true })
	const own = [authorization.issuer, 'https://fonts.']
	return {
		...{ program, authorization, upstream, browser, watched, page, call },
		session: () => context.storageState(),
		open: (path) => page.goto(`${program.url}/ui${path}`),
		agree: (asked) => agree(asked, authorization.issuer),
		faults: () => watched.faults.filter((fault) => !own.some((origin) => fault.includes(origin))),
		stop: async () => {
			await leaveBrowser()
			await program.stop()
			for (const server of [authorization, upstream, registry]) server.close()
		},
	}
}

function callFrom<T>(page: Page, workspace: string, method: string, path: string, body?: object): Promise<T> {
	const request = JSON.stringify({
		method,
		headers: {
			...(workspace && { 'x-signalbox-workspace': workspace }),
			...(body && { 'content-type': 'application/json' }),
		},
		...(body && { body: JSON.stringify(body) }),
	})
	return page.evaluate<T>(
		`fetch(${JSON.stringify(path)}, ${request}).then((answer) => answer.status === 204 ? null : answer.json())`,
	)
}

async function agree(page: Page, issuer: string): Promise<void> {
	await page.waitForURL(`${issuer}/**`)
	const login = page.locator('input[name=login]')
	await login
		.or(page.getByRole('button', { name: 'Continue', exact: true }))
		.first()
		.waitFor()
	if (await login.isVisible()) {
		await login.fill('ada-there')
		await page.locator('input[name=password]').fill('any')
		await page.locator('button[type=submit]').click()
	}
	await page.getByRole('button', { name: 'Continue', exact: true }).click()
}

/** Starts a package registry without packages. */
async function startEmptyRegistry(): Promise<{ url: string; close(): void }> {
	const server = createServer((_request, response) => {
		response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"Not found"}')
	})
	await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
	const { port } = server.address() as AddressInfo
	return { url: `http://127.0.0.1:${port}/`, close: () => server.close() }
}
