import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { type Document, isNode, LineCounter, parseDocument } from 'yaml'
import { addFormats } from '../../../platform/http/validation.ts'
import { CommandFailure, exitCodes } from '../outcome.ts'
import { ConfigurationFile, type Section, sections } from './file-schema.ts'
import { kinds } from './kinds/index.ts'

/** A well-formed file; the instance may still reject it. */
export interface ParsedFile {
	content: ConfigurationFile
	/** `line 12`, for the entry at that index. */
	placeOf(section: Section, index: number): string
}

/** Parses the text of a configuration file, or throws all its mistakes with their lines. */
export function parseFile(text: string, path: string): ParsedFile {
	const lines = new LineCounter()
	const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
	const lineOf = (place: readonly (string | number)[]) => lineAt(document, lines, place)
	const syntax = document.errors.map(({ message, pos }) => `line ${lines.linePos(pos[0]).line}: ${message}`)
	if (syntax.length > 0) throw mistakesIn(path, syntax)
	const content = document.toJS({ maxAliasCount: 100 }) as ConfigurationFile
	const shape = mistakesOfShape(content, lineOf)
	if (shape.length > 0) throw mistakesIn(path, shape)
	const placeOf = (section: Section, index: number) => `line ${lineOf([section, index])}`
	const meaning = [...duplicates(content, placeOf), ...contradictions(content, placeOf)]
	if (meaning.length > 0) throw mistakesIn(path, meaning)
	return { content, placeOf }
}

export function mistakesIn(path: string, mistakes: readonly string[]): CommandFailure {
	const count = mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`
	return new CommandFailure(exitCodes.usage, `${path} has ${count}; nothing was changed:`, mistakes)
}

function mistakesOfShape(content: unknown, lineOf: (place: (string | number)[]) => number): string[] {
	const ajv = new Ajv2020({ allErrors: true, strict: false })
	addFormats(ajv)
	const validate = ajv.compile(ConfigurationFile)
	if (validate(content)) return []
	const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'anyOf')
	return errors.map((error) => {
		const parts = error.instancePath.split('/').slice(1).map(toKey)
		const { additionalProperty } = error.params as { additionalProperty?: string }
		const place = additionalProperty === undefined ? parts : [...parts, additionalProperty]
		return `line ${lineOf(place)}: ${explain(error, place.join('/'))}`
	})
}

function toKey(part: string): string | number {
	return /^\d+$/.test(part) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~')
}

function explain({ keyword, params, message }: ErrorObject, place: string): string {
	if (keyword === 'additionalProperties') return `${place} is no known field`
	if (keyword === 'enum') return `${place} must be one of ${(params.allowedValues as string[]).join(', ')}`
	if (keyword === 'const') return `${place} must be ${String(params.allowedValue)}`
	return `${place || 'the file'} ${message ?? 'is wrong'}`
}

/** The line of a node, or of its nearest ancestor. */
function lineAt(document: Document, lines: LineCounter, place: readonly (string | number)[]): number {
	for (let depth = place.length; depth > 0; depth -= 1) {
		const node = document.getIn(place.slice(0, depth), true)
		if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
	}
	return 1
}

function duplicates(content: ConfigurationFile, placeOf: ParsedFile['placeOf']): string[] {
	return sections.flatMap((section) => {
		const { noun, nameOf } = kinds[section]
		const names = (content[section] ?? []).map((entry) => nameOf(entry as never))
		return names.flatMap((name, index) =>
			names.indexOf(name) === index
				? []
				: [
						`${placeOf(section, index)}: the ${noun} ${name} stands in ${placeOf(section, names.indexOf(name))} already`,
					],
		)
	})
}

/** Contradictions that the schema cannot express with a helpful message. */
function contradictions(content: ConfigurationFile, placeOf: ParsedFile['placeOf']): string[] {
	const ofServers = (content.servers ?? []).flatMap((server, index) => {
		const place = `${placeOf('servers', index)}: the server ${server.slug}`
		const isProgram = server.command !== undefined
		return [
			...(isProgram === (server.url !== undefined) ? [`${place} needs exactly one of url and command`] : []),
			...(isProgram && server.headers ? [`${place} is a program, which has no headers`] : []),
			...(isProgram && server.status ? [`${place} is a program, whose status is the platform's`] : []),
			...(!isProgram && (server.args || server.env) ? [`${place} has args or env, but no command`] : []),
		]
	})
	const ofGrants = (content.grants ?? []).flatMap(({ access_mode, ...grant }, index) => {
		const isSelected = access_mode === 'selected'
		const others = (['allowed_prompts', 'allowed_resources'] as const).filter(
			(name) => grant[name] !== undefined,
		)
		const wrong = [
			...(isSelected === (grant.allowed_tools !== undefined)
				? []
				: ['allowed_tools is for access_mode selected, and needed there']),
			// Without an error the grant would look narrow and open everything.
			...(isSelected ? [] : others.map((name) => `${name} is for access_mode selected`)),
		]
		return wrong.map((problem) => `${placeOf('grants', index)}: ${problem}`)
	})
	return [...ofServers, ...ofGrants]
}
