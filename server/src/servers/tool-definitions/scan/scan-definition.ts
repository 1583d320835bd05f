import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { nowNs } from '../../../platform/clock.ts'
import type { Queryable } from '../../../platform/database/database.ts'
import { isSourceNumber } from '../../../platform/json/parse-json.ts'
import { isObject, readParts, type ToolDefinition } from '../definition.ts'
import { listHashes } from '../tool-definition-repository.ts'
import { type Finding, type Flag, flagCodes } from './flag.ts'
import { escapeHidden, findHiddenCharacters } from './hidden-characters.ts'

/** Letters that look like Latin ones; among Latin letters they are used for their appearance, not their sound. */
const lookalike =
	/[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}\p{Script=Deseret}]/u
const latin = /[A-Za-z]/
/** Full-width, mathematical and enclosed letters and digits: variants of the plain characters. */
const dressedUp = /[\uff01-\uff5e\u{1d400}-\u{1d7ff}\u{1f130}-\u{1f189}\u24b6-\u24e9\u{1f1e6}-\u{1f1ff}]/u
/** Units and formulas. */
const usual = /^[µμΩΔδπλσθαβγ°]?[A-Za-z]{0,3}$|^[A-Za-z]{0,3}[µμΩΔδπλσθαβγ]$/u
const words = /[\p{L}\p{M}\p{N}_]+/gu

/** Words that mix Latin letters with look-alikes. In a name, stylised letters count too. */
function findMixedScript(text: string, isName: boolean): Finding[] {
	if (/^[\0-\x7f]*$/.test(text)) return []
	return [...text.matchAll(words)]
		.filter(
			([word]) =>
				(lookalike.test(word) && latin.test(word) && !usual.test(word)) || (isName && dressedUp.test(word)),
		)
		.flatMap((match) => partsOf(match[0], match.index, isName))
}

/** Underscores in identifiers join words of several scripts; in running text each part is checked on its own. */
function partsOf(word: string, start: number, isName: boolean): Finding[] {
	const parts = isName ? [word] : word.split('_')
	const isMixed = parts.some((part) => (lookalike.test(part) && latin.test(part)) || dressedUp.test(part))
	return isMixed ? [{ code: 'mixed_script', position: start }] : []
}

/**
 * Sentences that command the agent beyond the use of the tool: to hide something from people, to ignore its instructions, to act
 * before or besides its task, or to send what it knows elsewhere. Each pattern was tested against the definitions of public servers
 * (fixtures) and must not match anything that honest authors write. They are for lower-case text, since matching without regard to
 * case takes three times as long.
 */
const patterns: readonly RegExp[] = [
	/<\/?\s*(?:important|system|secret|hidden|instructions?|admin|override|critical|assistant|sys|inst)\s*>/g,
	/\[\/?(?:system|inst|important|hidden|admin|override)\]|<\|[a-z_]{2,30}\|>|<<\/?sys>>|^\s*(?:system|assistant)\s*:/gm,
	/#{2,}\s*(?:system|new instructions?|instructions? (?:for|to) (?:the )?(?:ai|model|assistant|agent))\b/g,
	/\b(?:ignore|disregard|forget|override|bypass|overrule|set aside)\s+(?:(?:all|any|every|the|your|of|other|these|those|and)\s+){0,4}(?:previous|prior|earlier|above|preceding|existing|original|foregoing|system|safety|security)\b[^.\n]{0,40}?\b(?:instructions?|prompts?|rules?|guidelines?|polic(?:y|ies)|directives?|messages?|context|checks?|restrictions?|limits?)\b/g,
	/\b(?:ignore|disregard|forget)\s+(?:everything|all|anything|what(?:ever)?)\b[^.\n]{0,30}\b(?:told|said|above|before|instructed|learned)\b/g,
	/\b(?:do not|don['’]?t|never|must not|should not|shouldn['’]?t|without|avoid|refrain from)\s+(?:ever\s+)?(?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?|notify(?:ing)?|reveal(?:ing)?|alert(?:ing)?|warn(?:ing)?|disclos(?:e|ing)|show(?:ing)?|ask(?:ing)?)\b[^.\n]{0,60}?\b(?:the |this |that |any(?:thing)? |it |to )*(?:users?|humans?|people|person|operator|anyone|anybody|owner|customer)\b(?!['’]s)/g,
	/\b(?:do not|don['’]?t|never|without)\s+(?:mention|disclos|reveal|discuss|report)(?:e|ing)?\s+(?:this|these|that|it|any of (?:this|these)|the fact|the (?:above|side|extra|additional|hidden|following))\b/g,
	/\b(?:keep|do|run|perform|stay|act)\s+(?:this|it|these|so|that)?\s*(?:\w+\s+)?(?:secret(?:ly)?|silent(?:ly)?|hidden|quiet(?:ly)?|covert(?:ly)?|confidential)\b[^.\n]{0,40}\b(?:from|user|step|without|exfil|send|read|and)\b/g,
	/\b(?:secretly|covertly|silently|quietly|surreptitiously|stealthily)\s+(?:\w+\s+){0,2}?(?:send|forward|copy|include|add|append|attach|bcc|upload|read|collect|exfiltrate|post|call|invoke|pass|transmit|log|record|store|leak|execute|run|insert|embed)\b/g,
	/\b(?:before|prior to|after|when(?:ever)?|while|instead of|each time you|every time you)\s+(?:you\s+)?(?:us(?:e|ing)|call(?:ing)?|invok(?:e|ing)|run(?:ning)?|execut(?:e|ing))\s+(?:this|the|any|every|each|all|it|other|another)?\s*(?:other\s+)?(?:tools?|functions?)?\b[^.\n]{0,50}?\b(?:first\s+)?(?:read|open|cat|fetch|load|send|include|copy|collect|retrieve|get|access)\b[^.\n]{0,60}?(?:~\/|\/etc\/|\/home\/|\/root\/|\.ssh|\.env\b|\.aws|\.npmrc|id_rsa|mcp\.json|credentials?|passwords?|secrets?|private keys?|api[_ -]?keys?|tokens?|conversation|chat history|system prompt)/g,
	/\b(?:before|prior to)\s+(?:us(?:e|ing)|call(?:ing)?|invok(?:e|ing)|run(?:ning)?)\s+(?:any|every|all|each|any other|all other|every other|another)\s+(?:of the\s+)?(?:other\s+)?(?:tools?|functions?)\b[^.\n]{0,40}?\b(?:you\s+)?(?:must|always|have to|need to|call|first|read|send)\b/g,
	/(?:~\/\.(?:ssh|aws|gnupg|config\/gcloud|kube|docker|netrc|npmrc|cursor|claude)|\/etc\/(?:passwd|shadow)|\bid_(?:rsa|ed25519)\b|\.ssh\/|\bmcp\.json\b|\.aws\/credentials)/g,
	/\b(?:send|forward|post|upload|transmit|exfiltrate|leak|deliver|copy|bcc|cc|e-?mail|report|pass|include|attach|append|put|place|embed)\b[^.\n]{0,60}?\b(?:(?:full|entire|whole|complete|all)?\s*(?:conversation|chat|message|prompt|session)\s+(?:history|log|context|transcript|content)|system prompt|(?:all|any|the|user['’]?s?|your|their|every|its)\s+(?:\w+\s+){0,2}(?:credentials?|passwords?|secrets?|private keys?|api[_ -]?keys?|access tokens?|session tokens?|cookies|environment variables|env(?:ironment)? vars))\b/g,
	/\b(?:all|every|any)\s+(?:e-?mails?|messages?|payments?|transfers?|requests?|files?|data|results?|responses?)\s+(?:must|should|have to|need to|are to|shall)\s+(?:also\s+)?(?:be\s+)?(?:sent|forwarded|copied|go(?:ne)?|routed|bcc['’]?d|redirected|uploaded)\b/g,
	/\b(?:instead of|rather than|in place of|never use|do not use|don['’]?t use|stop using)\s+(?:the\s+)?(?:other|any other|all other|built-?in|original|trusted|legitimate|official|real)\s+(?:\w+\s+)?(?:tools?|servers?|functions?)\b/g,
	/\b(?:this tool|this function|it)\s+(?:overrides|supersedes|replaces|takes precedence over|has (?:higher|top|absolute) priority over)\s+(?:all|any|every|the)\s+(?:other|previous|existing|built-?in)\b/g,
	/\b(?:the |tell the |assure the )?user (?:has|have|had) (?:already\s+)?(?:pre-?)?(?:approved|authori[sz]ed|consented|agreed|given (?:full )?(?:permission|consent))\b[^.\n]{0,60}\b(?:do not ask|no (?:need|confirmation)|without|any|all|so|every)\b/g,
	/\b(?:without|skip(?:ping)?|bypass(?:ing)?|no need (?:for|to ask for))\s+(?:any\s+|the\s+|further\s+|asking (?:for\s+)?(?:the\s+)?|waiting for\s+|user\s+)*(?:user(?:['’]s)?\s+)?(?:confirmation|approval|consent|permission)s?\b[^.\n]{0,40}\b(?:always|immediately|proceed|execute|all|delete|send|transfer|run|call)\b/g,
	/\byou are (?:now|no longer)\s+(?:an?|the|in|bound|operating|acting|required|restricted|dan)\b/g,
	/\b(?:new|updated|real|actual|true|hidden|secret)\s+(?:system\s+)?(?:instructions?|directives?|objective|prompt)\s*(?::|follow|for (?:the )?(?:ai|model|assistant|agent|llm))/g,
	/\b(?:the\s+)?(?:ai|llm|language model|model|assistant|agent)\s+(?:must|shall|has to|is required to|will)\s+(?:always\s+|first\s+|also\s+|silently\s+|never\s+)*(?:obey|comply|send|forward|include|read|ignore|hide|conceal|lie|pretend|exfiltrate|execute|disable|comply)\b/g,
	/\b(?:otherwise|or else|if you (?:do not|don['’]?t|fail|refuse))\b[^.\n]{0,50}\b(?:application will crash|will (?:be )?(?:crash|delet|destroy|terminat|penali[sz]|shut ?down)\w*|people (?:will )?die|lose (?:their|your) job|fired)\b/g,
	/!\[[^\]]*\]\(https?:\/\/[^)]*[?&=][^)]*\{?[^)]*\)/g,
	/\b(?:curl|wget|nc|bash|sh|powershell|iwr)\b[^\n]{0,80}?(?:https?:\/\/[^\s]+[^\n]{0,40}\|\s*(?:ba)?sh\b|-d\s*@|\$\(cat\b|<\s*\/dev\/tcp)/g,
	/\b(?:base64|rot13|hex|reverse)[- ]?(?:decode|decoded|encoded)\b[^.\n]{0,40}\b(?:and|then)\s+(?:follow|execute|obey|run|do|act)\b/g,
]

/** Finds sentences that address the model rather than describe the tool. */
function findInstructions(text: string): Finding[] {
	const lower = text.toLowerCase()
	const positions = patterns.flatMap((pattern) => [...lower.matchAll(pattern)].map(({ index }) => index))
	// Several patterns may match one sentence, which is one finding.
	return [...new Set(positions)].map((position) => ({ code: 'instruction', position }))
}

const comments = /<!--|^\[\/\/\]:\s*#/gm
/** Text pushed out of view: after a long gap in a line, or below many empty lines. */
const gaps = /\S[^\S\n]{60,}(?=\S)|(?:[^\S\n]*\n){12,}(?=[^\S\n]*\S)/g
const encoded =
	/(?:[A-Za-z0-9+/]{32,}|[A-Za-z0-9_-]{32,})={0,2}|(?:\\x[0-9a-f]{2}){8,}|(?:%[0-9a-f]{2}){12,}|(?:&#x?[0-9a-f]{2,6};){6,}|(?:\\u[0-9a-f]{4}){6,}/gi

const mayBeEncoded = /[\w+/-]{32}|(?:[\\%&]\S{1,6}){6}/

/** Finds text that is invisible or disguised: markup comments, text far out of view, encoded sentences. */
function findHiddenText(text: string): Finding[] {
	const found = (pattern: RegExp, code: Finding['code']) =>
		[...text.matchAll(pattern)].map(({ index }): Finding => ({ code, position: index }))
	return [
		...found(comments, 'html_comment'),
		...found(gaps, 'long_whitespace'),
		...(mayBeEncoded.test(text) ? [...text.matchAll(encoded)] : [])
			.filter(([match]) => saysSomething(match))
			.map(({ index }): Finding => ({ code: 'encoded_text', position: index })),
	]
}

/** Hashes, keys and ids are not sentences: only a match that decodes to text counts, or one written in escapes. */
function saysSomething(match: string): boolean {
	if (/^[\\%&]/.test(match)) return true
	if (/^[0-9a-f]+$/i.test(match)) return isText(Buffer.from(match, 'hex'))
	return isText(Buffer.from(match, 'base64'))
}

function isText(bytes: Buffer): boolean {
	const text = bytes.toString('utf8')
	const readable = text.match(/[\p{L}\p{N}\p{P} \n]/gu)?.length ?? 0
	return bytes.length >= 16 && readable >= text.length * 0.95 && / /.test(text)
}

const maxFlags = 100
const maxText = 64 * 1024
const maxTotal = 256 * 1024
const around = 40

interface Text {
	pointer: string
	value: string
	isName: boolean
}

/** Everything in a definition that may be hidden from people or command the agent; at most 100 flags. Accepts any JSON. */
export function scanDefinition(definition: unknown): Flag[] {
	const flags: Flag[] = []
	let total = 0
	for (const text of textsIn(definition, '', false)) {
		total += text.value.length
		if (text.value.length > maxText || total > maxTotal) flags.push(oversized(text.pointer))
		else for (const finding of findIn(text)) flags.push(toFlag(text, finding))
		if (flags.length >= maxFlags || total > maxTotal) break
	}
	return flags.slice(0, maxFlags)
}

/** All texts of a definition: the values, and the names of properties, which the model reads too. */
function* textsIn(value: unknown, pointer: string, isName: boolean): Generator<Text> {
	if (typeof value === 'string') yield { pointer, value, isName }
	else if (Array.isArray(value))
		for (const [index, item] of value.entries()) yield* textsIn(item, `${pointer}/${index}`, isName)
	else if (isObject(value))
		for (const [name, inner] of Object.entries(value)) {
			const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
			yield { pointer: at, value: name, isName: true }
			yield* textsIn(inner, at, pointer === '' && name === 'name')
		}
}

function findIn({ value, isName }: Text): Finding[] {
	const found = [...findHiddenCharacters(value), ...findMixedScript(value, isName)]
	if (value.length >= 12) found.push(...findHiddenText(value), ...findInstructions(plainOf(value)))
	return found
}

/** Replaces stylised letters by plain ones, so that they cannot hide a sentence; positions then refer to the plain text. */
function plainOf(value: string): string {
	return /^[\0-\x7f]*$/.test(value) ? value : value.normalize('NFKC').replaceAll(/\p{Cf}/gu, '')
}

function toFlag({ pointer, value }: Text, { code, position }: Finding): Flag {
	const start = Math.max(0, position - around)
	const end = position + 2 * around
	const text = escapeHidden(value.slice(start, end)).toWellFormed()
	const excerpt = `${start > 0 ? '…' : ''}${text}${end < value.length ? '…' : ''}`
	return { code, severity: flagCodes[code], pointer, position, excerpt }
}

function oversized(pointer: string): Flag {
	const excerpt = 'The text is too long to be read.'
	return { code: 'oversized_text', severity: flagCodes.oversized_text, pointer, position: 0, excerpt }
}

/** SHA-256, hex, over the canonical form of the parts that are read, independent of the order of fields. */
export function hashDefinition(tool: ToolDefinition): string {
	const parts = readParts.filter((part) => tool[part] !== undefined).map((part) => [part, tool[part]])
	return createHash('sha256')
		.update(canonicalJson(Object.fromEntries(parts)))
		.digest('hex')
}

/** JSON with sorted keys and without spaces (RFC 8785), but with numbers in their original notation if that is known. */
export function canonicalJson(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
	if (typeof value !== 'object' || value === null || isSourceNumber(value))
		return JSON.stringify(value) ?? 'null'
	const fields = Object.entries(value).filter(([, inner]) => inner !== undefined)
	fields.sort(([a], [b]) => (a < b ? -1 : 1))
	return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonicalJson(inner)}`).join(',')}}`
}

const flagsOf = new WeakMap<ToolDefinition, Flag[]>()
const hashes = new WeakMap<ToolDefinition, string>()
const turnNs = 4_000_000n

export function hashOf(tool: ToolDefinition): string {
	const hash = hashes.get(tool) ?? hashDefinition(tool)
	hashes.set(tool, hash)
	return hash
}

export function flagsIn(tool: ToolDefinition): Flag[] {
	const flags = flagsOf.get(tool) ?? scanDefinition(tool)
	flagsOf.set(tool, flags)
	return flags
}

/**
 * Scans new definitions, a few at a time, so that a long list blocks neither the event loop nor the later transaction. Without this
 * call they are scanned within the transaction.
 */
export async function prepareTools(
	db: Queryable,
	server: { id: string; workspace_id: string },
	tools: readonly ToolDefinition[],
): Promise<void> {
	const known = new Set(
		(await listHashes(db, server.workspace_id, server.id)).map(({ name, hash }) => `${hash} ${name}`),
	)
	let started = nowNs()
	for (const tool of tools) {
		if (!known.has(`${hashOf(tool)} ${tool.name}`)) flagsIn(tool)
		if (nowNs() - started < turnNs) continue
		await nextTurn()
		started = nowNs()
	}
}
