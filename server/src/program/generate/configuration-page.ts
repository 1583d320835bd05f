import { settings } from '../../config/config.ts'

const unprefixed: ReadonlySet<string> = new Set(['DATABASE_URL', 'CLICKHOUSE_URL'])

/** docs/configuration.md, made from the table that the program reads. */
export function renderConfigurationPage(): string {
	const rows = Object.entries(settings).map(([name, { fallback, meaning, secret }]) => {
		const full = unprefixed.has(name) ? name : `SIGNALBOX_${name}`
		return `| \`${full}\` | ${shown(fallback)} | ${meaning}${secret ? ' (secret)' : ''} |`
	})
	return `${intro}\n${rows.join('\n')}\n`
}

/** What stands when nothing is set; an absence, an empty list and a record without entries are a dash. */
function shown(fallback: unknown): string {
	return fallback === null || (typeof fallback === 'object' && Object.keys(fallback).length === 0)
		? '–'
		: `\`${fallback}\``
}

const intro = `# Configuration

Made by \`npm run generate\` from \`server/src/config/config.ts\`; change it there.

Every setting is an environment variable. Stronger than it is a flag (\`signalbox start --port 8080 --data-dir …\`; secrets have
none, since other users can read a command line); weaker, in this order, are \`NAME_FILE\`, which names a file that holds the value,
\`signalbox.yaml\`, and the default. The file is the one that \`--config\` names, else the one beside a given data directory, else the
one in the current directory. Its keys are the names in lower case without \`SIGNALBOX_\`; lists may be lists, and providers of
sign-in stand under \`oidc: {house: {issuer: …}}\`. \`npx signalbox config schema\` prints its JSON Schema.

A name that does not exist, a value of the wrong form, a value given twice in one place and settings that contradict each other
stop the start, all told in one list. \`npx signalbox config check\` does the same without starting; \`npx signalbox config print\`
shows what is in force and where it came from, secrets blanked out. \`SIGNALBOX_SDK_*\` belongs to the SDKs and is ignored here.
\`SIGNALBOX_OIDC_<NAME>_*\` are the providers where people sign in: [sign-in](sign-in.md).

| setting | default | meaning |
|---|---|---|`
