import { useMutation } from '@tanstack/react-query'
import { api, take } from '../../api.ts'
import { baseUrl } from '../../lib/base-url.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { InlineError } from '../../ui/states.tsx'
import type { AuditSearch } from './audit-search.ts'

/** The records of the filter as a file; the server streams it. */
export function ExportMenu({ search }: { search: AuditSearch }) {
	const save = useMutation({
		mutationFn: async (format: 'jsonl' | 'csv') => {
			// A download is no call of ours that could renew the session, so that happens first.
			await take(api.GET('/auth/me'))
			const query = new URLSearchParams({ ...search, format })
			location.assign(`${baseUrl}/v1/audit/export?${query}`)
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
				<MenuItem onSelect={() => save.mutate('jsonl')}>JSON lines</MenuItem>
				<MenuItem onSelect={() => save.mutate('csv')}>CSV</MenuItem>
			</Menu>
			{save.error && <InlineError error={save.error} />}
		</>
	)
}
