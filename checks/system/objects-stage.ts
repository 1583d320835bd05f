import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type Receiver, startReceiver } from '../../server/src/insights/webhooks/testing.ts'
import { owner } from '../../server/src/program/program.testing.ts'
import { launchBrowser, leaveBrowser, openPage, type Watched } from './browser.ts'
import { showScreen } from './screen-faults.ts'
import { type SharedStage, sharedStage } from './shared-stage.ts'

export type Json = Record<string, unknown>
type Within = Page | ReturnType<Page['getByRole']>

export interface Objects {
	program: SharedStage['program']
	/** The public reference server, registered as `everything`. */
	referenceUrl: string
	receiver: Receiver
	browser: Browser
	watched: Watched
	page: Page
	session: Awaited<ReturnType<BrowserContext['storageState']>>
	/** Ids of the objects that were created here, and paths of screens that tests create. */
	made: { server: string; support: string; other: string; toolset: string; webhook: string }
	/** Calls the API with `fetch` in the signed-in page. */
	call<T = Json>(method: string, path: string, body?: Json): Promise<T>
	/** Opens a screen, without reloading the dashboard if the page already shows it. */
	open(path: string): Promise<void>
	/** Opens a screen with a full page load, so that changes made elsewhere are visible. */
	load(path: string): Promise<unknown>
	press(name: string | RegExp, within?: Within): Promise<void>
	/** A tool call through the gateway. */
	callTool(key: string, name: string, values: Json): Promise<void>
	stop(): Promise<void>
}

/** Creates a separate workspace in the shared instance, with a server, two agents and a webhook receiver, and signs the operator in. */
export async function startObjects(): Promise<Objects> {
	const [{ program, referenceUrl }, receiver, browser] = await Promise.all([
		sharedStage(),
		startReceiver(),
		launchBrowser(),
	])
	const watched = await openPage(browser, program.url)
	const { page } = watched
	let workspace = ''
	const call: Objects['call'] = (method, path, body) => callFrom(page, workspace, method, path, body)
	await page.goto(`${program.url}/ui/sign-in`)
	await call('POST', '/auth/login', owner)
	workspace = (await call<{ workspace: { id: string } }>('GET', '/auth/me')).workspace.id
	const { id } = await call('POST', '/v1/workspaces', { name: 'Browser' })
	await call('POST', '/auth/switch', { workspace_id: String(id) })
	workspace = String(id)
	return {
		program,
		referenceUrl,
		receiver,
		browser,
		watched,
		page,
		made: { ...(await makeObjects(call, referenceUrl)), toolset: '', webhook: '' },
		session: await watched.context.storageState(),
		call,
		open: (path) => showScreen(page, program.url, path),
		load: (path) => page.goto(`${program.url}/ui${path}`),
		press: (name, within = page) => press(within, name),
		callTool: (key, name, values) => callTool(`${program.url}/mcp/everything`, key, name, values),
		stop: async () => {
			await leaveBrowser()
			await receiver.close()
		},
	}
}

function press(within: Within, name: string | RegExp): Promise<void> {
	return within.getByRole('button', { name, exact: true }).click()
}

async function makeObjects(call: Objects['call'], url: string) {
	const server = await call('POST', '/v1/mcp/servers', { name: 'everything', url })
	await call('GET', `/v1/mcp/servers/${server.id}/health`)
	const support = await call('POST', '/v1/agents', { name: 'support-bot', groups: ['support'] })
	const other = await call('POST', '/v1/agents', { name: 'release-bot' })
	return { server: String(server.id), support: String(support.uuid), other: String(other.uuid) }
}

/** Sends a request as the dashboard does, with a header that names the workspace shown on the page. */
function callFrom<T>(page: Page, workspace: string, method: string, path: string, body?: Json): Promise<T> {
	const request = JSON.stringify({
		method,
		headers: {
			'x-signalbox-dashboard': '1',
			...(workspace && { 'x-signalbox-workspace': workspace }),
			...(body && { 'content-type': 'application/json' }),
		},
		...(body && { body: JSON.stringify(body) }),
	})
	return page.evaluate<T>(`fetch(${JSON.stringify(path)}, ${request}).then((answer) => answer.json())`)
}

async function callTool(url: string, key: string, name: string, values: Json): Promise<void> {
	const client = new Client({ name: 'dashboard-test', version: '1.0.0' })
	const requestInit = { headers: { authorization: `Bearer ${key}` } }
	await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
	await client.callTool({ name, arguments: values })
	await client.close()
}
