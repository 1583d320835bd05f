import { fillRefusal, type Refusal, type RefusalCode, type RefusalPart, refusals } from '@signalbox/contract'

export type RefusalNames = Partial<Record<RefusalPart, string | null>>

/** What agents and people read at once; more is skipped. */
export const longestText = 300
const lengths = [120, 64, 40, 24, 12]

/**
 * A refusal as it is read: what happened and why, who can help, and where. Long names are cut so that it stays within
 * 300 characters; whole they are in the data of the error. Before the address is left out, who can help is.
 */
export function refusalText(code: RefusalCode, names: RefusalNames, link: string | null): string {
	const { text, help } = refusals[code]
	const parts = plain({ ...names, agent: names.agent ?? 'this agent' })
	const where = link === null ? '' : ` ${leads[refusals[code].link ?? 'access']} ${link}`
	const told = (helps: string, longest: number) => `${fillRefusal(text + helps, parts, longest)}${where}`
	// Where the address is long, its page says who can help.
	for (const helps of link === null ? [` ${help}`] : [` ${help}`, '']) {
		const whole = lengths.map((longest) => told(helps, longest)).find((each) => each.length <= longestText)
		if (whole !== undefined) return whole
	}
	return fillRefusal(`${text} ${help}`, parts, 12)
}

const leads: Readonly<Record<NonNullable<Refusal['link']>, string>> = {
	access: 'Ask for it:',
	approval: 'Decide:',
	definitions: 'Look at it:',
}

/** Names are on one line, so that none of them can pass for a sentence of ours. */
function plain(names: RefusalNames): Partial<Record<RefusalPart, string>> {
	const entries = Object.entries(names).flatMap(([name, value]) =>
		value ? [[name, value.replaceAll(/\p{C}+|\s+/gu, ' ').toWellFormed()]] : [],
	)
	return Object.fromEntries(entries)
}
