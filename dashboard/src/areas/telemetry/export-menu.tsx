import { useMutation } from '@tanstack/react-query'
import { api, take } from '../../api.ts'
import { baseUrl } from '../../lib/base-url.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { InlineError } from '../../ui/states.tsx'

const formats = [
	['csv', 'CSV'],
	['jsonl', 'JSON lines'],
	['otlp', 'OTLP'],
] as const

interface ExportMenuProps {
	path: string
	query: Record<string, string | readonly string[] | number | undefined>
}

/** What the list shows as a file, up to 100,000 rows; the server streams it. */
export function ExportMenu({ path, query }: ExportMenuProps) {
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
				{formats.map(([format, label]) => (
					<MenuItem key={format} onSelect={() => save.mutate(format)}>
						{label}
					</MenuItem>
				))}
			</Menu>
			{save.error && <InlineError error={save.error} />}
		</>
	)
}
