/** One SQL statement, cut to its last meaningful character, and its first word in upper case. */
export interface Statement {
	text: string
	keyword: string
	/** The text with every quoted string, quoted name and comment blanked, of the same length. */
	outline: string
}

/** A statement we will not hand to the engine. The message goes to the caller. */
export class StatementRefused extends Error {
	override name = 'StatementRefused'
}

// Quoted text ends at its own quote; a backslash escapes anything, a doubled quote reads as two neighbouring strings.
const opaque =
	/'(?:[^'\\]|\\[\s\S])*(?:'|$)|"(?:[^"\\]|\\[\s\S])*(?:"|$)|`(?:[^`\\]|\\[\s\S])*(?:`|$)|--[^\n]*|#[ !][^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g

/** Here-documents, typographic string quotes and NUL: the engine may read them otherwise than we do. */
const uncertain = /[$‘’“”\0]/

/**
 * Checks that the text is exactly one statement. The engine itself runs every statement of a text one after
 * the other, so what is not certainly one statement is refused.
 */
export function parseStatement(sql: string): Statement {
	const outline = sql.replace(opaque, (match) => blank(match))
	if (uncertain.test(outline))
		throw new StatementRefused('Dollar signs, curly quotes and NUL belong into quotes.')
	const code = outline.replace(/[\s;]+$/, '')
	if (code.includes(';')) throw new StatementRefused('Only one statement may be sent at a time.')
	const keyword = /^\s*\(*\s*([A-Za-z]+)/.exec(code)?.[1]?.toUpperCase()
	if (!keyword) throw new StatementRefused('The statement is empty.')
	return { text: sql.slice(0, code.length), keyword, outline: code }
}

/** Strings and names leave a mark so that the end of the statement is not mistaken; comments leave nothing. */
function blank(match: string): string {
	const isComment = match.startsWith('--') || match.startsWith('#') || match.startsWith('/*')
	return isComment ? ' '.repeat(match.length) : 'x'.repeat(match.length)
}

/** Splits `INSERT … FORMAT Name` (no data) into the statement and the format, or undefined when it is something else. */
export function splitInsertFormat(statement: Statement): { sql: string; format: string } | undefined {
	if (statement.keyword !== 'INSERT') return undefined
	const match = /\sFORMAT\s+([A-Za-z0-9]+)$/i.exec(statement.outline)
	if (!match?.[1]) return undefined
	return { sql: statement.text.slice(0, match.index), format: match[1] }
}

/** Refuses data written into the text of an INSERT, where a blank line would end the data and start a statement. */
export function refuseInlineData(statement: Statement): void {
	if (statement.keyword !== 'INSERT') return
	if (/\bFORMAT\s+[A-Za-z]/i.test(statement.outline)) {
		throw new StatementRefused(
			'The rows of an INSERT … FORMAT go into the body, the statement into the address.',
		)
	}
	if (/\n\s*\n/.test(statement.text))
		throw new StatementRefused('An INSERT with a blank line is not accepted.')
}
