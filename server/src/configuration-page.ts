import { settings } from './config.ts'

const unprefixed: ReadonlySet<string> = new Set(['DATABASE_URL', 'CLICKHOUSE_URL'])

/** docs/configuration.md, made from the table that the program reads. */
export function renderConfigurationPage(): string {
	const rows = Object.entries(settings).map(([name, { fallback, meaning, secret }]) => {
		const full = unprefixed.has(name) ? name : `SIGNALBOX_${name}`
		const shown =
			fallback === null || (Array.isArray(fallback) && fallback.length === 0) ? '–' : `\`${fallback}\``
		return `| \`${full}\` | ${shown} | ${meaning}${secret ? ' (secret)' : ''} |`
	})
	return `${intro}\n${rows.join('\n')}\n`
}

const intro = `# Configuration

Made by \`npm run generate\` from \`server/src/config.ts\`; change it there.

Every setting is an environment variable. \`NAME_FILE\` names a file that holds the value, for secrets; giving both is refused. A
\`SIGNALBOX_\` name that does not exist, a value of the wrong form and settings that contradict each other stop the start, all
told in one list. \`npx signalbox config check\` does the same without starting; \`npx signalbox config print\` shows what is in
force and where it came from, secrets blanked out. \`SIGNALBOX_SDK_*\` belongs to the SDKs and is ignored here.
\`SIGNALBOX_OIDC_<NAME>_*\` are the providers where people sign in: [sign-in](sign-in.md).

| setting | default | meaning |
|---|---|---|`
