import { isDeepStrictEqual } from 'node:util'
import { type ConfigurationFile, type Section, sections } from './file-schema.ts'
import { kinds } from './kinds/index.ts'
import type { Existing, Kind } from './kinds/kind.ts'
import { mistakesIn, type ParsedFile } from './parse-file.ts'
import type { Secrets } from './secrets.ts'
import type { State } from './state.ts'

export interface FieldChange {
	field: string
	before: unknown
	after: unknown
}

/** What apply would do with one object. */
export interface Step {
	section: Section
	name: string
	action: 'create' | 'update' | 'delete' | 'unchanged'
	changes: FieldChange[]
	entry: unknown
	existing: Existing | null
}

export interface PlanOptions {
	/** Objects that the file lacks are deleted, in the sections that it has. */
	prune: boolean
	/** Secrets are sent again; whether they changed cannot be seen. */
	secrets: boolean
}

/** Deletions first, from the last section to the first, then everything else in order: no name is taken and no reference open. */
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
			: (state[section] ?? []).filter(({ name }) => !kept.has(`${section} ${name}`)).map(deletion(section)),
	)
	return [...surplus.reverse(), ...wanted]
}

function deletion(section: Section): (existing: Existing) => Step {
	return (existing) => ({
		...{ section, name: existing.name, action: 'delete', changes: [], entry: null, existing },
	})
}

function stepFor(
	section: Section,
	entry: unknown,
	present: readonly Existing[],
	secrets: Secrets,
	options: PlanOptions,
): Step {
	const kind = kinds[section] as Kind
	const name = kind.nameOf(entry as never)
	const existing = present.find((each) => each.name === name) ?? null
	if (!existing) return { section, name, action: 'create', changes: [], entry, existing }
	const changes = changesOf(kind, entry, existing, secrets, options)
	return { section, name, action: changes.length > 0 ? 'update' : 'unchanged', changes, entry, existing }
}

function changesOf(
	kind: Kind,
	entry: unknown,
	existing: Existing,
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

/** Throws everything that would make a step fail, before the first one is done. */
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

/** Names of servers and agents that will not exist when the step is done. */
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
