import type { QueryClient } from '@tanstack/react-query'
import { ApiError, api, type Schemas, unwrap } from '../api.ts'
import { demoQuery } from '../areas/demo/queries.ts'
import { meQuery } from '../areas/identity/session.ts'
import { basePath, slugInAddress, uiPath, workspacePath } from '../lib/base-url.ts'
import { serverNowMs } from '../lib/clock.ts'
import { setPageWorkspace } from '../lib/session-fetch.ts'
import { setDemoRange } from '../lib/time-range.ts'

/** Pages that need no sign-in or belong to no workspace. */
const entrances = [
	'authorize',
	'forgot',
	'invitation',
	'register',
	'reset',
	'setup',
	'shared',
	'sign-in',
	'verify',
]

/** The router's base path, and the workspace in the address if the person is not a member of it. */
export interface PageWorkspace {
	basepath: string
	foreign: string | null
}

/**
 * Makes the address name the workspace of the page before anything is rendered. Two tabs share one session, so only the address can
 * say which workspace a tab belongs to; an address without one gets the session's.
 */
export async function settleWorkspace(queries: QueryClient): Promise<PageWorkspace> {
	const named = slugInAddress()
	const rest = restOf(named)
	if (entrances.includes(rest.split('/')[1] ?? '')) return { basepath: uiPath(), foreign: null }
	const me = await queries.fetchQuery(meQuery).catch((error: unknown) => {
		if (error instanceof ApiError && error.status === 401) return null
		throw error
	})
	if (!me) {
		const next = encodeURIComponent(`${location.pathname.slice(basePath.length)}${location.search}`)
		history.replaceState(null, '', `${basePath}/ui/sign-in?next=${next}`)
		return { basepath: `${basePath}/ui`, foreign: null }
	}
	const own = named === null ? me.workspace : me.workspaces.find(({ id, slug }) => [id, slug].includes(named))
	if (!own) return { basepath: workspacePath(named ?? ''), foreign: named }
	if (own.slug !== named)
		history.replaceState(null, '', `${workspacePath(own.slug)}${rest}${location.search}${location.hash}`)
	setPageWorkspace(own.id)
	if (own.id !== me.workspace.id) await moveTo(queries, me, own)
	await showDayOfDemo(queries, own.id)
	return { basepath: workspacePath(own.slug), foreign: null }
}

/** Screens of the demo show its day, whenever they are opened. */
async function showDayOfDemo(queries: QueryClient, workspaceId: string): Promise<void> {
	// Nothing is shown until then, so it is not retried.
	const demo = await queries.fetchQuery({ ...demoQuery, retry: false }).catch(() => null)
	if (demo?.workspace_id !== workspaceId || demo.created_at === null) return
	setDemoRange(Date.parse(demo.created_at), serverNowMs())
}

/** The session remembers the workspace for addresses that name none. The requests of this tab name their workspace explicitly. */
async function moveTo(queries: QueryClient, me: Schemas['Me'], workspace: Schemas['WorkspaceSummary']) {
	queries.setQueryData(meQuery.queryKey, { ...me, workspace })
	await unwrap(api.POST('/auth/switch', { body: { workspace_id: workspace.id } })).catch(() => {})
}

function restOf(named: string | null): string {
	const start = named === null ? `${basePath}/ui` : workspacePath(named)
	return location.pathname.slice(start.length)
}
