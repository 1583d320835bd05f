import { StatementRefused } from './sql-statement.ts'

/** The text parts of a multipart/form-data body by name. Files are not accepted. */
export function parseMultipart(contentType: string, body: Buffer): Map<string, string> {
	const boundary = /boundary="?([^";]+)"?/.exec(contentType)?.[1]
	if (!boundary) throw new StatementRefused('The multipart body names no boundary.')
	const sections = `\r\n${body.toString('utf8')}`.split(`\r\n--${boundary}`)
	const parts = new Map<string, string>()
	for (const section of sections.slice(1, -1)) {
		const end = section.indexOf('\r\n\r\n')
		const name = /;\s*name="([A-Za-z0-9_.-]+)"/.exec(section.slice(0, end))?.[1]
		if (end < 0 || !name) throw new StatementRefused('The multipart body cannot be read.')
		parts.set(name, section.slice(end + 4))
	}
	return parts
}
