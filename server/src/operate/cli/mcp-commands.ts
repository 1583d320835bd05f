import { execFileSync } from 'node:child_process'
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	readFileSync,
	renameSync,
	statSync,
	writeFileSync,
} from 'node:fs'
import { homedir, platform } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { readVariable } from '../../config/config.ts'
import { type Client, type Schemas, unwrap } from '../client/client.ts'
import { answer, confirmDone, printNote } from './answer.ts'
import { requireYes } from './confirm.ts'
import { connect } from './connection.ts'
import { findAgent } from './find.ts'
import { CommandFailure, exitCodes } from './outcome.ts'

interface Options {
	agent: string
	server?: string
	createKey?: true
	print?: true
	run?: true
}
type ClientInstall = Schemas['ClientInstall']
type Step = Schemas['InstallStep']

const clients = 'claude-code, codex, cursor, vs-code, windsurf, claude-desktop, gemini-cli or generic'

export function addMcpCommands(program: Command): void {
	const mcp = program
		.command('mcp')
		.description('Configure an MCP client for Signalbox, or observe an MCP server of your own')
	mcp
		.command('install')
		.argument('<client>', clients)
		.description('Add Signalbox to the configuration of an MCP client; the previous file is kept beside it')
		.requiredOption('--agent <name>', 'the agent that the client acts as')
		.option('--server <slug>', 'this server only; absent: all that the agent is granted')
		.option('--create-key', 'create a key of the agent for it')
		.option('--print', 'show what would be written or run, and do nothing')
		.option('--run', 'run the client’s own command (claude mcp add …) instead of printing it')
		.addHelpText('after', '\nWithout --create-key, the key is taken from SIGNALBOX_AGENT_KEY.')
		.action(install)
	mcp
		.command('instrument')
		.argument('[folder]', 'folder of an MCP server; absent: the current one')
		.description(
			'Show the lines that make the server in a folder send its view of each call; nothing is changed',
		)
		.action(async (...given: [string | undefined, object, Command]) =>
			(await import('./mcp-instrument/instrument-command.ts')).showInstrument(...given),
		)
}

async function install(client: string, options: Options, command: Command): Promise<void> {
	const api = connect(command)
	const agent = await findAgent(api, options.agent)
	const query = options.server === undefined ? {} : { server: options.server }
	const found = await unwrap(
		api.GET('/v1/agents/{id}/install', { params: { path: { id: agent.uuid }, query } }),
	)
	const target = found.clients.find((each) => each.client === client)
	if (!target) throw new CommandFailure(exitCodes.usage, `The clients are ${clients}.`)
	const step = stepOf(target, options)
	const isShown = step.kind === 'command' && !options.run
	if (options.print || (isShown && !options.createKey))
		return answer(command, { client, url: found.url, ...step }, [step.text.trimEnd()])
	const entry = entryOf(step, found.key_placeholder, options, () => createKey(api, agent, target))
	if (isShown) {
		const text = await entry.complete()
		answer(command, { client, url: found.url, ...step, text }, [text.trimEnd()])
	} else if (step.kind === 'command') await runCommand(entry, target, command)
	else await writeConfig(step, entry, target, command)
}

/** A file is written if the client has its own; running a command is left to the person. */
function stepOf({ name, steps }: ClientInstall, { run }: Options): Step {
	const ofKind = (kind: string) => steps.find((step) => step.kind === kind)
	const step = run ? ofKind('command') : steps[0]?.kind === 'command' ? steps[0] : ofKind('file')
	if (step) return step
	throw new CommandFailure(exitCodes.usage, `${name} has no command that could be run.`)
}

interface Entry {
	/** With the given key, or with the placeholder of a key that is still to be created. */
	text: string
	/** What stands for the key in `text`; null if it has none. */
	key: string | null
	/** The text with its key. A key is created only here, as the last step: one that no client received would stay valid. */
	complete: () => Promise<string>
	isComplete: boolean
}

function entryOf(
	{ text }: Step,
	placeholder: string,
	options: Options,
	create: () => Promise<string>,
): Entry {
	if (!text.includes(placeholder)) return { text, key: null, complete: async () => text, isComplete: true }
	if (options.createKey) {
		const complete = async () => text.replaceAll(placeholder, await create())
		return { text, key: placeholder, complete, isComplete: false }
	}
	const key = readVariable('SIGNALBOX_AGENT_KEY')
	if (key === null)
		throw new CommandFailure(
			exitCodes.usage,
			'Set SIGNALBOX_AGENT_KEY to a key of the agent, or add --create-key.',
		)
	const filled = text.replaceAll(placeholder, key)
	return { text: filled, key, complete: async () => filled, isComplete: true }
}

async function createKey(api: Client, agent: Schemas['Agent'], target: ClientInstall): Promise<string> {
	const params = { path: { id: agent.uuid } }
	return (await unwrap(api.POST('/v1/agents/{id}/keys', { params, body: { name: target.name } }))).key
}

/** Runs without a shell; only arguments may be quoted. */
async function runCommand(entry: Entry, { client, name }: ClientInstall, command: Command): Promise<void> {
	const file = entry.text.split(/\s/, 1)[0] as string
	if (file === 'export') throw new CommandFailure(exitCodes.usage, `${name} needs a shell; use --print.`)
	if (!isOnPath(file)) throw new CommandFailure(exitCodes.failed, `${file} is not installed here.`)
	const words = ((await entry.complete()).match(/"[^"]*"|\S+/g) ?? []).map((word) =>
		word.replace(/^"(.*)"$/, '$1'),
	)
	try {
		execFileSync(file, words.slice(1), { stdio: ['ignore', 'inherit', 'inherit'] })
	} catch {
		throw new CommandFailure(exitCodes.failed, `${file} failed.`)
	}
	confirmDone(command, { client, ran: true }, `${name} knows Signalbox now.`)
}

function isOnPath(file: string): boolean {
	const folders = (readVariable('PATH') ?? '').split(delimiter)
	return folders.some((folder) => existsSync(join(folder, file)))
}

async function writeConfig(
	step: Step,
	entry: Entry,
	{ client, name }: ClientInstall,
	command: Command,
): Promise<void> {
	const path = locate(step.path ?? '')
	const before = readIfThere(path)
	const after = mergeConfig(path, before, entry.text)
	if (entry.isComplete && after === before)
		return confirmDone(command, { client, path, changed: false }, `${path} has it already.`)
	printNote(command, path)
	for (const line of diffLines(before ?? '', after))
		printNote(command, entry.key ? line.replaceAll(entry.key, '(key)') : line)
	await requireYes(command, `Write ${path}?`)
	const backup = replaceFile(path, mergeConfig(path, before, await entry.complete()))
	const kept = backup ? `; the file before is ${backup}` : ''
	confirmDone(command, { client, path, backup, changed: true }, `${name} is set up in ${path}${kept}.`)
}

/** The local path of a file that the API names relative to the home directory (`~/…`) or to the project. */
function locate(path: string): string {
	if (path === 'claude_desktop_config.json') return join(desktopFolder(), path)
	return path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(path)
}

function desktopFolder(): string {
	if (platform() === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Claude')
	if (platform() === 'win32') return join(homedir(), 'AppData', 'Roaming', 'Claude')
	return join(homedir(), '.config', 'Claude')
}

function readIfThere(path: string): string | null {
	return existsSync(path) ? readFileSync(path, 'utf8') : null
}

/**
 * Writes the file with access for its owner only, since it may contain a key. The previous file is kept beside it; returns the path
 * of that copy.
 */
function replaceFile(path: string, text: string): string | null {
	const existed = existsSync(path)
	const backup = existed ? freeName(`${path}.bak`) : null
	if (backup) copyFileSync(path, backup)
	mkdirSync(dirname(path), { recursive: true })
	const draft = `${path}.${process.pid}`
	writeFileSync(draft, text, { mode: existed ? statSync(path).mode & 0o700 : 0o600 })
	renameSync(draft, path)
	return backup
}

function freeName(path: string): string {
	for (let number = 0; ; number += 1) {
		const name = number === 0 ? path : `${path}.${number}`
		if (!existsSync(name)) return name
	}
}

/** The lines that differ, marked with `+` and `-`, without the common beginning and end. */
function diffLines(before: string, after: string): string[] {
	const old = before.split('\n')
	const now = after.split('\n')
	let first = 0
	while (first < old.length && first < now.length && old[first] === now[first]) first += 1
	let last = 0
	while (last < Math.min(old.length, now.length) - first && old.at(-1 - last) === now.at(-1 - last)) last += 1
	return [
		...old.slice(first, old.length - last).map((line) => `- ${line}`),
		...now.slice(first, now.length - last).map((line) => `+ ${line}`),
	]
}

type Json = Record<string, unknown>

/** The text of a client's configuration file with our entry inserted; the rest of the file is unchanged. */
export function mergeConfig(path: string, before: string | null, entry: string): string {
	if (before === null || before.trim() === '') return entry
	return path.endsWith('.toml') ? mergeToml(before, entry) : mergeJson(path, before, entry)
}

function mergeJson(path: string, before: string, entry: string): string {
	const merged = merge(parse(path, before), JSON.parse(entry) as Json)
	return `${JSON.stringify(merged, null, indentOf(before))}\n`
}

/** Merges one level of names (`mcpServers`), then the entries; lists (`inputs`) get elements with a new id appended. */
function merge(file: Json, ours: Json): Json {
	const merged: Json = { ...file }
	for (const [name, value] of Object.entries(ours)) {
		const present = file[name]
		if (Array.isArray(value) && Array.isArray(present))
			merged[name] = [...present.filter(({ id }) => !value.some((input) => input.id === id)), ...value]
		else if (isObject(value) && isObject(present)) merged[name] = { ...present, ...value }
		else merged[name] = value
	}
	return merged
}

function parse(path: string, text: string): Json {
	try {
		const value: unknown = JSON.parse(text)
		if (isObject(value)) return value
	} catch {}
	throw new CommandFailure(
		exitCodes.failed,
		`${path} is no plain JSON object (comments?); add the entry by hand: --print shows it.`,
	)
}

function isObject(value: unknown): value is Json {
	return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function indentOf(text: string): string {
	return /\n([ \t]+)"/.exec(text)?.[1] ?? '  '
}

/** Our table replaces the one with the same name, up to the next heading; otherwise it is appended. */
function mergeToml(before: string, entry: string): string {
	const heading = entry.split('\n')[0] as string
	const lines = before.split('\n')
	const first = lines.findIndex((line) => line.trim() === heading)
	if (first < 0) return `${before.trimEnd()}\n\n${entry}`
	const next = lines.findIndex((line, index) => index > first && line.trimStart().startsWith('['))
	const after = next < 0 ? [] : ['', ...lines.slice(next)]
	return [...lines.slice(0, first), ...entry.trimEnd().split('\n'), ...after]
		.join('\n')
		.trimEnd()
		.concat('\n')
}
