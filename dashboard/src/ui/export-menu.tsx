import { useMutation } from '@tanstack/react-query'
import { api, take } from '../api.ts'
import { baseUrl } from '../lib/base-url.ts'
import { Button } from './button.tsx'
import { Icon } from './icons.tsx'
import { Menu, MenuItem } from './menu.tsx'
import { InlineError } from './states.tsx'

const formatNames = { csv: 'CSV', json: 'JSON', jsonl: 'JSON lines', otlp: 'OTLP' } as const

interface ExportMenuProps {
	path: string
	formats: readonly (keyof typeof formatNames)[]
	query: object
}

/** What a list shows as a file; the server streams it. */
export function ExportMenu({ path, formats, query }: ExportMenuProps) {
	const save = useMutation({
		mutationFn: async (format: string) => {
			// A download is no call of ours that could renew the session, so that happens first.
			await take(api.GET('/auth/me'))
			const all = Object.entries({ ...query, format }).flatMap(([name, value]) =>
				[value ?? []].flat().map((one) => [name, String(one)]),
			)
			location.assign(`${baseUrl}${path}?${new URLSearchParams(all)}`)
		},
	})
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
			</Menu>
			{save.error && <InlineError error={save.error} />}
		</>
	)
}
