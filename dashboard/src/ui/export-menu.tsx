import { useMutation } from '@tanstack/react-query'
import { api, take } from '../api.ts'
import { baseUrl } from '../lib/base-url.ts'
import { Button } from './button.tsx'
import { Icon } from './icons.tsx'
import { Menu, MenuItem, MenuLine } from './menu.tsx'
import { InlineError } from './states.tsx'
import { toast } from './toast.tsx'

const formatNames = { csv: 'CSV', json: 'JSON', jsonl: 'JSON lines', otlp: 'OTLP' } as const

interface ExportMenuProps {
	path: string
	formats: readonly (keyof typeof formatNames)[]
	query: object
	/** The path of the API that the list was read from, for those who want to ask it themselves. */
	asked?: string
}

/** The parameters of a URL; lists repeat their name. */
function parametersOf(query: object): URLSearchParams {
	return new URLSearchParams(
		Object.entries(query).flatMap(([name, value]) => [value ?? []].flat().map((one) => [name, String(one)])),
	)
}

/** What a list shows as a file; the server streams it. */
export function ExportMenu({ path, formats, query, asked }: ExportMenuProps) {
	const save = useMutation({
		mutationFn: async (format: string) => {
			// A download is no call of ours that could renew the session, so that happens first.
			await take(api.GET('/auth/me'))
			location.assign(`${baseUrl}${path}?${parametersOf({ ...query, format })}`)
		},
	})
	const copyQuery = () => {
		const { list: _list, ...parameters } = query as { list?: string }
		const url = `${baseUrl}${asked}?${parametersOf(parameters)}`
		void navigator.clipboard
			.writeText(`curl -H "Authorization: Bearer $SIGNALBOX_KEY" '${url}'`)
			.then(() => toast('Copied: a line for curl'))
	}
	return (
		<>
			<Menu
				trigger={
					<Button busy={save.isPending}>
						Export
						<Icon name="down" className="size-3.5 text-ink-3" />
					</Button>
				}
			>
				{formats.map((format) => (
					<MenuItem key={format} onSelect={() => save.mutate(format)}>
						{formatNames[format]}
					</MenuItem>
				))}
				{asked && (
					<>
						<MenuLine />
						<MenuItem icon="copy" onSelect={copyQuery}>
							Copy the query
						</MenuItem>
					</>
				)}
			</Menu>
			{save.error && <InlineError error={save.error} />}
		</>
	)
}
