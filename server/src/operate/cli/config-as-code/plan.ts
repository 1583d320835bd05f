import { isDeepStrictEqual } from 'node:util'
import { Document, visit } from 'yaml'
import { type Client, unwrap } from '../../client/client.ts'
import { readAll } from '../find.ts'
import { actsOnTerminal, plainJson } from '../terminal.ts'
import { type ConfigurationFile, type Section, sections } from './file-schema.ts'
import { kinds } from './kinds/index.ts'
import type { Context, ExistingObject, Kind } from './kinds/kind.ts'
import { mistakesIn, type ParsedFile } from './parse-file.ts'
import { Secrets, withReferences } from './secrets.ts'

export interface FieldChange {
	field: string
	before: unknown
	after: unknown
}

/** What apply would do to one object. */
export interface Step {
	section: Section
	name: string
	action: 'create' | 'update' | 'delete' | 'unchanged'
	changes: FieldChange[]
	entry: unknown
	existing: ExistingObject | null
}

export interface PlanOptions {
	/** Deletes objects that the file lacks, in the sections that it has. */
	prune: boolean
	/** Sends secrets again, because changes of secrets cannot be detected. */
	secrets: boolean
}

/**
 * Deletions come first, from the last section to the first, then everything else in order, so that names are free and references
 * resolve.
 */
export function makePlan(
	content: ConfigurationFile,
	state: State,
	secrets: Secrets,
	options: PlanOptions,
): Step[] {
	const wanted = sections.flatMap((section) =>
		(content[section] ?? []).map((entry) => stepFor(section, entry, state[section] ?? [], secrets, options)),
	)
	if (!options.prune) return wanted
	const kept = new Set(wanted.map(({ section, name }) => `${section} ${name}`))
	const surplus = sections.flatMap((section) =>
		content[section] === undefined
			? []
			: ownOf(state, section)
					.filter(({ name }) => !kept.has(`${section} ${name}`))
					.map(deletion(section)),
	)
	return [...surplus.reverse(), ...wanted]
}

function ownOf(state: State, section: Section): ExistingObject[] {
	return (state[section] ?? []).filter(({ isDefault }) => !isDefault)
}

function deletion(section: Section): (existing: ExistingObject) => Step {
	return (existing) => ({
		...{ section, name: existing.name, action: 'delete', changes: [], entry: null, existing },
	})
}

function stepFor(
	section: Section,
	entry: unknown,
	present: readonly ExistingObject[],
	secrets: Secrets,
	options: PlanOptions,
): Step {
	const kind = kinds[section] as Kind
	const name = kind.nameOf(entry as never)
	const existing = present.find((each) => each.name === name) ?? null
	if (!existing) return { section, name, action: 'create', changes: [], entry, existing }
	const changes = changesOf(kind, entry, existing, secrets, options)
	if (changes.length === 0) return { section, name, action: 'unchanged', changes, entry, existing }
	if (existing.isDefault) return { section, name, action: 'create', changes: [], entry, existing: null }
	return { section, name, action: 'update', changes, entry, existing }
}

function changesOf(
	kind: Kind,
	entry: unknown,
	existing: ExistingObject,
	secrets: Secrets,
	options: PlanOptions,
): FieldChange[] {
	const wanted = Object.entries(kind.fieldsOf(entry as never)).filter(([, after]) => after !== undefined)
	const changes = wanted
		.map(([field, after]) => ({ field, before: existing.fields[field], after }))
		.filter(({ before, after }) => !isDeepStrictEqual(before, after))
	const other = options.secrets || (kind.hasOtherSecret?.(existing, entry as never, secrets) ?? false)
	const sent = wanted
		.filter(([field]) => other && kind.secretFields?.includes(field))
		.filter(([field]) => !changes.some((change) => change.field === field))
		.map(([field]) => ({ field, before: '(stored)', after: '(new value)' }))
	return [...changes, ...sent]
}

/** Throws everything that would make a step fail, before the first step runs. */
export function refuseImpossible(
	plan: readonly Step[],
	file: ParsedFile,
	path: string,
	state: State,
	secrets: Secrets,
): void {
	const mistakes = plan.flatMap((step) => {
		if (step.action === 'delete') return []
		const index = (file.content[step.section] as unknown[]).indexOf(step.entry)
		const found = [...problemsOf(step, secrets), ...openReferences(step, plan, state)]
		const { noun } = kinds[step.section]
		return found.map((problem) => `${file.placeOf(step.section, index)}: the ${noun} ${step.name} ${problem}`)
	})
	if (mistakes.length > 0) throw mistakesIn(path, mistakes)
}

function problemsOf({ section, action, entry, existing, changes }: Step, secrets: Secrets): string[] {
	const kind = kinds[section] as Kind
	const refusal = existing ? kind.refusal?.(existing, entry as never) : null
	if (refusal) return [refusal]
	if (action === 'unchanged') return []
	if (section === 'connections' && action === 'create' && !(entry as { key?: string }).key)
		return ['is new and needs a key']
	const changed = existing ? new Set(changes.map(({ field }) => field)) : null
	const texts = kind.secretsFor?.(entry as never, changed) ?? []
	return texts
		.filter((text) => secrets.tryFill(text) === null)
		.map((text) => `needs ${text}, which has no value`)
}

/** Names of servers and agents that will not exist when the step runs. */
function openReferences({ section, entry }: Step, plan: readonly Step[], state: State): string[] {
	const exists = (of: Section, name: string) => {
		const planned = plan.find((step) => step.section === of && step.name === name)
		return planned ? planned.action !== 'delete' : (state[of] ?? []).some((each) => each.name === name)
	}
	const missing = (of: 'servers' | 'agents', names: readonly string[]) =>
		names
			.filter((name) => !exists(of, name))
			.map((name) => `names the ${kinds[of].noun} ${name}, which does not exist`)
	if (section === 'toolsets') {
		const { tools = [] } = entry as { tools?: { server: string }[] }
		return missing(
			'servers',
			tools.map(({ server }) => server),
		)
	}
	if (section !== 'grants') return []
	const { agent, server } = entry as { agent: string; server: string }
	return [...missing('agents', [agent]), ...missing('servers', [server])]
}

/** Runs the steps one after the other; `onDone` is called after each. */
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

/** Returns what has no effect in the object now. */
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

/** Toolsets and grants need the ids of objects created before them. */
async function noteNew(context: Context, section: Step['section']): Promise<void> {
	if (section === 'servers' || section === 'agents') await reread(context, section)
}

/** Ignores a missing object: deleting a server or an agent also deletes its grants. */
function unlessGone(error: unknown): void {
	if (!(error instanceof Error && 'status' in error && error.status === 404)) throw error
}

/** A part of an object in the file that has no effect. */
export interface Warning {
	section: Section
	name: string
	text: string
}

type Entries = { [S in Section]: NonNullable<ConfigurationFile[S]>[number] }

/** The warnings that apply would end with, as far as they are known: a server that is still to be created has no tools yet. */
export async function predictWarnings(context: Context, plan: readonly Step[]): Promise<Warning[]> {
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
	const { tools } = await unwrap(client.GET('/v1/mcp/servers/{id}/tools', { params: { path: { id } } }))
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
		const { provider_keys, pagination } = await unwrap(client.GET('/v1/provider-keys', { params: { query } }))
		return { items: provider_keys, pagination }
	})
	const { routes } = await unwrap(client.GET('/v1/routes'))
	const planned = steps.filter(({ section }) => section === 'connections')
	const known = new Set([...connections, ...routes, ...planned].map(({ name }) => name))
	return named
		.filter((name) => !known.has(name))
		.map((name) => `model_access: there is no connection or route ${name}.`)
}

/** The objects of an instance by section; sections that were not requested are absent. */
export type State = Partial<Record<Section, ExistingObject[]>>

export function newContext(client: Client, secrets: Secrets): Context {
	const ids = Object.fromEntries(sections.map((section) => [section, new Map<string, string>()]))
	return {
		client,
		secrets,
		ids: ids as Context['ids'],
		shownOnce: [],
		newIdempotencyKey: () => crypto.randomUUID(),
	}
}

/** The sections in a file, and those that they refer to. */
export function sectionsOf(content: ConfigurationFile): Section[] {
	const refers = content.toolsets !== undefined || content.grants !== undefined
	return sections.filter(
		(section) =>
			content[section] !== undefined ||
			(refers && section === 'servers') ||
			(content.grants !== undefined && section === 'agents'),
	)
}

/** Reads sections in their order, since later ones refer to objects of earlier ones. */
export async function readState(context: Context, wanted: readonly Section[]): Promise<State> {
	const state: State = {}
	for (const section of wanted) {
		state[section] = await kinds[section].read(context)
		noteIds(context, section, state[section])
	}
	return state
}

async function reread(context: Context, section: Section): Promise<void> {
	noteIds(context, section, await kinds[section].read(context))
}

function noteIds({ ids }: Context, section: Section, existing: readonly ExistingObject[]): void {
	ids[section].clear()
	for (const { id, name } of existing) ids[section].set(name, id)
}

export interface Exported {
	content: ConfigurationFile
	/** Sections that the credential may not read, with the reason. */
	leftOut: { section: Section; reason: string }[]
}

/** Everything that the file can contain and the credential may read. Secrets become references, derived grants are left out. */
export async function exportConfiguration(client: Client): Promise<Exported> {
	const context = newContext(client, new Secrets('.'))
	const found: [Section, ExistingObject[]][] = []
	const leftOut: Exported['leftOut'] = []
	for (const section of sections) {
		try {
			const state = await readState(context, [section])
			// By name, so that the exports of instances with the same objects are equal, whenever these were created.
			const own = ownOf(state, section).sort((a, b) => (a.name < b.name ? -1 : 1))
			found.push([section, own])
		} catch (error) {
			if (!isRefused(error) || (error.status === 401 && leftOut.length === sections.indexOf(section)))
				throw error
			leftOut.push({ section, reason: reasonOf(error) })
		}
	}
	const content = withReferences((referenceTo) =>
		Object.fromEntries(
			found.map(([section, own]) => [section, own.map((each) => kinds[section].toEntry(each, referenceTo))]),
		),
	)
	return { content: { version: 1, ...content }, leftOut }
}

function isRefused(error: unknown): error is Error & { status: number } {
	return error instanceof Error && 'status' in error && (error.status === 401 || error.status === 403)
}

/** The other sections were read with the same credential, so it is known, and of the wrong kind for this one. */
function reasonOf({ status, message }: Error & { status: number }): string {
	return status === 401 ? 'only a person can read them, not a key.' : message
}

const heading = `# Configuration of Signalbox. \`signalbox diff\` compares it with an instance, \`signalbox apply\` makes an instance so.
# Secrets are references: put their values into the environment, or name files.
`

/** Characters that a terminal may interpret are escaped, so the file can be printed, and redirected, without changing a name. */
export function toYaml(content: ConfigurationFile): string {
	const document = new Document(content)
	visit(document, {
		Scalar: (_key, scalar) => {
			if (typeof scalar.value === 'string' && actsOnTerminal(scalar.value)) scalar.type = 'QUOTE_DOUBLE'
		},
	})
	return heading + plainJson(document.toString({ lineWidth: 110 }))
}
