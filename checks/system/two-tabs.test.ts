import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Objects, startObjects } from './objects-stage.ts'

/**
 * Actions on each of two tabs of one browser, which show different workspaces. Every second action creates an agent; the others are
 * chosen at random.
 */
const actions = process.env.LONG_TESTS ? 200 : 8

let stage: Objects
beforeAll(async () => {
	stage = await startObjects()
}, 120_000)
afterAll(() => stage?.stop())

interface Tab {
	page: Page
	workspace: { id: string; slug: string }
	/** Names of the agents that were created on this tab. */
	made: string[]
}

async function openTab(workspace: Tab['workspace']): Promise<Tab> {
	const page = await stage.watched.context.newPage()
	await page.goto(`${stage.program.url}/ui/w/${workspace.slug}/agents`)
	await page.getByRole('button', { name: 'Create agent' }).first().waitFor()
	return { page, workspace, made: [] }
}

const steps: ((tab: Tab, name: string) => Promise<unknown>)[] = [
	async (tab, name) => {
		await tab.page.goto(`${stage.program.url}/ui/w/${tab.workspace.slug}/agents`)
		await tab.page.getByRole('button', { name: 'Create agent' }).first().click()
		const dialog = tab.page.getByRole('dialog')
		await dialog.getByLabel('Name').fill(name)
		await dialog.getByRole('button', { name: 'Create agent' }).click()
		await dialog.waitFor({ state: 'hidden' })
		tab.made.push(name)
	},
	(tab) => tab.page.reload(),
	(tab) => tab.page.getByRole('link', { name: 'Agents' }).first().click(),
	(tab) => tab.page.getByRole('link', { name: 'Servers' }).first().click(),
]

/** The names of all agents of a workspace, read page by page. */
async function namesOfAgents(page: Page, workspaceId: string): Promise<string[]> {
	const names: string[] = []
	for (let at = 1, pages = 1; at <= pages; at += 1) {
		const listed = await page.evaluate<{ agents: { name: string }[]; pagination: { total_pages: number } }>(
			`fetch('/v1/agents?limit=100&page=${at}', { headers: { 'x-signalbox-workspace': '${workspaceId}' } }).then((answer) => answer.json())`,
		)
		names.push(...listed.agents.map(({ name }) => name))
		pages = listed.pagination.total_pages
	}
	return names
}

test('an action on one tab never changes the workspace of the other tab', async () => {
	const make = async (name: string) => {
		const { id, slug } = await stage.call<Tab['workspace']>('POST', '/v1/workspaces', { name })
		return { id, slug }
	}
	const tabs = [await openTab(await make('Left')), await openTab(await make('Right'))] as const
	for (let action = 0; action < actions; action += 1) {
		const step = steps[action % 2 === 0 ? 0 : Math.floor(Math.random() * steps.length)]
		await Promise.all(tabs.map((tab, side) => step?.(tab, `Agent ${side}-${action}`)))
	}
	for (const { page, workspace, made } of tabs) {
		expect(new URL(page.url()).pathname).toContain(`/ui/w/${workspace.slug}/`)
		expect((await namesOfAgents(page, workspace.id)).sort()).toEqual(made.toSorted())
		await page.close()
	}
}, 600_000)

test('the URL of another user’s workspace shows an explanation, and a URL without a workspace opens one of the user’s own', async () => {
	const { page, program } = stage
	await page.goto(`${program.url}/ui/w/somebody-elses/agents`)
	await page.getByRole('heading', { name: 'This address belongs to another workspace' }).waitFor()
	await page.getByText('is not a member of the workspace somebody-elses').waitFor()
	// What a mail program adds to a link is no parameter of the screen, which would send it to the API.
	await page.goto(`${program.url}/ui/agents?utm_source=mail`)
	await page.getByRole('heading', { name: 'Agents' }).first().waitFor()
	await expect.poll(() => page.url()).toMatch(/\/ui\/w\/[\w-]+\/agents$/)
})
