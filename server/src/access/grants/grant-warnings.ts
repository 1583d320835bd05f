import type { ServerEntry } from '../../servers/servers.ts'
import type { GrantTerms } from './grant-terms.ts'

type WarnedTerms = Pick<
	GrantTerms,
	| 'access_mode'
	| 'allowed_tools'
	| 'allowed_prompts'
	| 'allowed_resources'
	| 'constraints'
	| 'approval'
	| 'call_limits'
>

const maxNamed = 20

/** The parts of a grant without effect on its server as it is now. These are not errors: the server may get such a tool later. */
export function grantWarnings(server: ServerEntry | undefined, terms: WarnedTerms): string[] {
	if (!server) return []
	const { access_mode, allowed_tools, allowed_prompts, allowed_resources } = terms
	const parts = [allowed_tools, allowed_prompts, allowed_resources]
	if (access_mode === 'selected' && parts.every((part) => !part || part.length === 0))
		return [
			`The grant names nothing, so it opens nothing of the server ${server.name}: name tools in allowed_tools.`,
		]
	const { constraints, approval, call_limits } = terms
	const named: readonly [string, readonly string[]][] = [
		['allowed_tools', allowed_tools ?? []],
		...Object.entries({ constraints, approval, call_limits }).map(
			([field, byTool]) => [field, Object.keys(byTool)] as [string, string[]],
		),
	]
	return named.flatMap(([field, names]) => toolWarnings(server, field, names))
}

/** Names of tools in a field that the server does not have. Empty if the server was deleted. */
export function toolWarnings(
	server: ServerEntry | undefined,
	field: string,
	names: readonly string[],
): string[] {
	if (!server) return []
	const known = new Set(server.tools.map(({ name }) => name)).add('*')
	const unknown = names.filter((name) => !known.has(name))
	return unknown.length === 0 ? [] : [textOf(server, field, unknown)]
}

function textOf(
	{ name, areToolsKnown, trouble }: ServerEntry,
	field: string,
	unknown: readonly string[],
): string {
	const more = unknown.length > maxNamed ? ` and ${unknown.length - maxNamed} more` : ''
	const names = unknown.slice(0, maxNamed).join(', ') + more
	if (areToolsKnown) return `${field}: the server ${name} has no tool ${names}.`
	const reason = trouble ? ` (${trouble})` : ''
	return `${field}: the tools of the server ${name} are not all known yet${reason}, so ${names} could not be checked.`
}
