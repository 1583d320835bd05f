/** The placeholders in a refusal's sentences. */
export type RefusalPart = 'agent' | 'tool' | 'server' | 'status' | 'detail' | 'seconds' | 'limit'

/** A refusal of the data plane, as agents and people read it. */
export interface Refusal {
	/** What happened and why, with placeholders such as `{agent}` and `{tool}`. */
	text: string
	/** Who can help, or what to do. People are named by their role only. */
	help: string
	/** The dashboard page to link to: where access is requested, or where the call is decided. */
	link: 'access' | 'approval' | 'definitions' | null
}

const admin = 'An admin of the workspace can grant it.'
const retry = 'Send the same call again later.'

/**
 * Every refusal of a tool call, a list or a model by its stable code, which is in `error.data.code`. The page docs/refusals.md
 * contains this table, and a test keeps the two equal. A tool or server that does not exist reads like one that is not granted.
 */
export const refusals = {
	agent_unknown: {
		text: 'The agent does not exist.',
		help: 'Use a key of an agent of this workspace.',
		link: null,
	},
	agent_not_active: {
		text: 'The agent {agent} is {status}.',
		help: 'A member of the workspace can resume or start it.',
		link: null,
	},
	server_unknown: { text: 'The server does not exist.', help: admin, link: null },
	server_inactive: {
		text: 'The server {server} cannot be used now: its status is {status}.',
		help: 'An admin of the workspace can switch it on.',
		link: null,
	},
	server_deploying: {
		text: 'The server {server} is being installed or started.',
		help: 'Send the call again in a moment; an admin of the workspace can see the progress.',
		link: null,
	},
	server_failed: {
		text: 'The server {server} cannot be used now: it failed to start.',
		help: 'An admin of the workspace can see why, and start it again.',
		link: null,
	},
	server_not_answering: {
		text: 'The server {server} is not responding, and had no tool {tool} when its tools were last listed.',
		help: 'An admin of the workspace can see why, and refresh the list.',
		link: null,
	},
	no_grant: { text: 'The agent {agent} has no access to the server {server}.', help: admin, link: 'access' },
	grant_expired: {
		text: 'The access of {agent} to the server {server} has expired.',
		help: 'An admin of the workspace can renew it.',
		link: 'access',
	},
	grant_disabled: {
		text: 'The access of {agent} to {server} is switched off.',
		help: 'An admin of the workspace can switch it on.',
		link: null,
	},
	tool_not_selected: {
		text: 'The tool {tool} of {server} is not granted to {agent}.',
		help: admin,
		link: 'access',
	},
	denied_by_hint: {
		text: 'The tool {tool} of {server} is not granted to {agent}, because {detail}.',
		help: admin,
		link: 'access',
	},
	tool_not_granted: { text: 'The tool {tool} is not granted to {agent}.', help: admin, link: 'access' },
	tool_unknown: {
		text: 'The server {server} is not known to have a tool {tool}.',
		help: 'List its tools to see what it has; an admin of the workspace can refresh the list.',
		link: null,
	},
	server_not_granted: {
		text: 'This server is not granted to {agent}, or does not exist.',
		help: admin,
		link: 'access',
	},
	connection_not_granted: {
		text: '{agent} may not use the connection {detail}.',
		help: admin,
		link: null,
	},
	model_not_granted: {
		text: '{detail} is not granted to {agent}.',
		help: admin,
		link: null,
	},
	// No link, because access can be requested for tools only: the request would be for a tool named like the prompt or the URI.
	prompt_not_selected: {
		text: 'The prompt {tool} of {server} is not granted to {agent}.',
		help: admin,
		link: null,
	},
	resource_not_selected: {
		text: 'The resource {tool} of {server} is not granted to {agent}.',
		help: admin,
		link: null,
	},
	definition_changed: {
		text: 'The tool {tool} of {server} is suspended, because {detail}: {agent} may not use it until it is approved.',
		help: 'An admin of the workspace can approve it.',
		link: 'definitions',
	},
	arguments_refused: {
		text: '{agent} may not send these arguments to {tool} of {server}: {detail}.',
		help: 'Change the arguments, or ask an admin of the workspace to allow them.',
		link: null,
	},
	approval_required: {
		text: 'A call of {tool} of {server} by {agent} needs the approval of a person.',
		help: 'Send it, and it waits for the approval.',
		link: null,
	},
	approval_pending: {
		text: 'The call of {tool} of {server} by {agent} waits for the approval of a person.',
		help: 'Send the same call again: it runs once it is approved. An admin of the workspace can approve it.',
		link: 'approval',
	},
	approval_denied: {
		text: 'The call of {tool} of {server} by {agent} was denied by a person: {detail}.',
		help: 'Do not send it again.',
		link: null,
	},
	approval_expired: {
		text: 'Nobody approved the call of {tool} of {server} by {agent} in time.',
		help: 'Send the call again to request another approval.',
		link: null,
	},
	approval_revoked: {
		text: 'The approval of this call of {tool} of {server} by {agent} was revoked.',
		help: 'Send the call again to request another approval.',
		link: null,
	},
	approval_used: {
		text: 'The same call of {tool} of {server} by {agent} was approved once and has already run.',
		help: 'To run it again, send it again in {seconds} s.',
		link: null,
	},
	approval_queue_full: {
		text: 'Too many calls of {agent} are waiting for approval, so none was requested for {tool} of {server}.',
		help: retry,
		link: null,
	},
	approval_too_large: {
		text: 'The arguments of {tool} of {server} are too large to show to a person, who would have to approve the call of {agent}.',
		help: 'Send smaller arguments.',
		link: null,
	},
	calls_limited: {
		text: '{detail} may be called {limit} times a minute, so {tool} of {server} did not run for {agent}.',
		help: 'Send the call again in {seconds} s. An admin of the workspace can raise the limit.',
		link: null,
	},
	concurrency_limited: {
		text: '{detail} may have {limit} calls running at the same time, so {tool} of {server} did not run for {agent}.',
		help: 'Send it again when another has ended. An admin of the workspace can raise the limit.',
		link: null,
	},
	undecidable: {
		text: 'Access could not be decided, so it is denied.',
		help: 'Try again; if this happens again, tell an admin of the workspace.',
		link: null,
	},
} as const satisfies Record<string, Refusal>

export type RefusalCode = keyof typeof refusals

/** Sentences split at their placeholders: texts are at even indexes, names at odd ones. */
const pieces = new Map<string, readonly string[]>()

/**
 * Fills the placeholders of a sentence from the catalogue; each name is truncated to `longest` characters. Called for every tool in a
 * list.
 */
export function fillRefusal(
	text: string,
	parts: Partial<Record<RefusalPart, string>>,
	longest = Number.POSITIVE_INFINITY,
): string {
	const known = pieces.get(text) ?? text.split(/\{(\w+)\}/)
	pieces.set(text, known)
	let filled = ''
	for (let at = 0; at < known.length; at += 1) {
		const piece = known[at] as string
		filled += at % 2 === 0 ? piece : cut(parts[piece as RefusalPart] ?? '', longest)
	}
	return filled
}

function cut(text: string, longest: number): string {
	return text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`
}
