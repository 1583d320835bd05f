import { take } from '../../client/client.ts'
import { readAll } from '../find.ts'
import type { ConfigurationFile, Section } from './file-schema.ts'
import { kinds } from './kinds/index.ts'
import type { Context, Kind } from './kinds/kind.ts'
import type { Step } from './plan.ts'
import { reread } from './state.ts'

/** Does the steps one after the other; `onDone` hears of each as soon as it is done. */
export async function runPlan(
	context: Context,
	plan: readonly Step[],
	onDone: (step: Step, warnings: readonly string[]) => void,
): Promise<void> {
	for (const step of plan) {
		if (step.action === 'unchanged') continue
		onDone(step, await runStep(context, step))
	}
}

/** What of the object has no effect now. */
async function runStep(
	context: Context,
	{ section, action, entry, existing, changes }: Step,
): Promise<readonly string[]> {
	const kind = kinds[section] as Kind
	if (action === 'create') {
		const made = await kind.create(context, entry as never)
		await noteNew(context, section)
		return made?.warnings ?? []
	}
	if (!existing) return []
	if (action === 'update') {
		const fields = new Set(changes.map(({ field }) => field))
		return (await kind.update(context, existing, entry as never, fields))?.warnings ?? []
	}
	await kind.remove(context, existing).catch(unlessGone)
	return []
}

/** Toolsets and grants ask for the ids of what was made before them. */
async function noteNew(context: Context, section: Step['section']): Promise<void> {
	if (section === 'servers' || section === 'agents') await reread(context, section)
}

/** Deleting a server or an agent takes its grants along. */
function unlessGone(error: unknown): void {
	if (!(error instanceof Error && 'status' in error && error.status === 404)) throw error
}

/** What of an object of the file has no effect. */
export interface Warning {
	section: Section
	name: string
	text: string
}

type Entries = { [S in Section]: NonNullable<ConfigurationFile[S]>[number] }

/** The warnings that apply would end with, as far as they can be known: a server that is still to be made has no tools yet. */
export async function foreseeWarnings(context: Context, plan: readonly Step[]): Promise<Warning[]> {
	const found: Warning[] = []
	const steps = plan.filter(({ action }) => action !== 'delete')
	for (const { section, name, entry } of steps) {
		const texts =
			section === 'toolsets'
				? await ofToolset(context, entry as Entries['toolsets'])
				: section === 'grants'
					? await ofGrant(context, entry as Entries['grants'])
					: section === 'agents'
						? await ofAgent(context, entry as Entries['agents'], steps)
						: []
		found.push(...texts.map((text) => ({ section, name, text })))
	}
	return found
}

async function ofToolset(context: Context, { tools = [] }: Entries['toolsets']): Promise<string[]> {
	const each = tools.map(({ server, tools: names }) => unknownTools(context, server, 'tools', names))
	return (await Promise.all(each)).flat()
}

async function ofGrant(context: Context, entry: Entries['grants']): Promise<string[]> {
	const { server, access_mode, allowed_tools = [], constraints = {}, approval = {}, call_limits = {} } = entry
	const parts = [allowed_tools, entry.allowed_prompts ?? [], entry.allowed_resources ?? []]
	if (access_mode === 'selected' && parts.every((part) => part.length === 0))
		return [
			`The grant names nothing, so it opens nothing of the server ${server}: name tools in allowed_tools.`,
		]
	const byField = {
		allowed_tools,
		constraints: Object.keys(constraints),
		approval: Object.keys(approval),
		call_limits: Object.keys(call_limits),
	}
	const each = Object.entries(byField).map(([field, names]) => unknownTools(context, server, field, names))
	return (await Promise.all(each)).flat()
}

async function unknownTools(
	{ client, ids }: Context,
	slug: string,
	field: string,
	names: readonly string[],
): Promise<string[]> {
	const id = ids.servers.get(slug)
	if (id === undefined || names.length === 0) return []
	const { tools } = await take(client.GET('/v1/mcp/servers/{id}/tools', { params: { path: { id } } }))
	const known = new Set(tools.map(({ name }) => name)).add('*')
	const unknown = names.filter((name) => !known.has(name))
	return unknown.length === 0 ? [] : [`${field}: the server ${slug} has no tool ${unknown.join(', ')}.`]
}

async function ofAgent(
	{ client }: Context,
	{ model_access }: Entries['agents'],
	steps: readonly Step[],
): Promise<string[]> {
	const named = model_access?.connections?.map(({ name }) => name) ?? []
	if (named.length === 0) return []
	const connections = await readAll(async (query) => {
		const { provider_keys, pagination } = await take(client.GET('/v1/provider-keys', { params: { query } }))
		return { items: provider_keys, pagination }
	})
	const { routes } = await take(client.GET('/v1/routes'))
	const planned = steps.filter(({ section }) => section === 'connections')
	const known = new Set([...connections, ...routes, ...planned].map(({ name }) => name))
	return named
		.filter((name) => !known.has(name))
		.map((name) => `model_access: there is no connection or route ${name}.`)
}
