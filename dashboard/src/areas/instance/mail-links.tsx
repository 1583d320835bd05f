import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Schemas } from '../../api.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Panel } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Empty } from '../../ui/states.tsx'
import { Row, Table, Td, Th, ThActions } from '../../ui/table.tsx'
import { Ago, Until } from '../../ui/time.tsx'
import { Loaded } from './loaded.tsx'
import { mailLinksQuery } from './queries.ts'

const route = getRouteApi('/_app/instance')

/** Links that could not be sent by e-mail, for an operator to pass on. */
export function MailLinks() {
	const { page = 1 } = route.useSearch()
	const navigate = route.useNavigate()
	const query = useQuery(mailLinksQuery(page))
	return (
		<>
			<p className="mb-3 max-w-3xl text-ink-2">
				Links that no mail server took. Whoever passes one on vouches that the mailbox is the person’s: using
				it confirms the address.
			</p>
			<Panel flush>
				<Loaded query={query}>
					{({ mail_links: links }) =>
						links.length === 0 ? (
							<Empty icon="link" title="No link waits">
								Every link was delivered or used, or has expired. Set SIGNALBOX_SMTP_URL to have them mailed.
							</Empty>
						) : (
							<LinkTable links={links} />
						)
					}
				</Loaded>
			</Panel>
			{query.data && (
				<Pager
					pagination={query.data.pagination}
					onChange={(next) => void navigate({ search: (old) => ({ ...old, page: next }) })}
				/>
			)}
		</>
	)
}

function LinkTable({ links }: { links: readonly Schemas['MailLink'][] }) {
	return (
		<Table label="Links to pass on">
			<thead>
				<tr>
					<Th>For</Th>
					<Th>Subject</Th>
					<Th right>Created</Th>
					<Th right>Expires</Th>
					<ThActions />
				</tr>
			</thead>
			<tbody>
				{links.map(({ id, to, subject, link, created_at, expires_at }) => (
					<Row key={id}>
						<Td className="max-w-64 truncate font-medium">{to}</Td>
						<Td className="text-ink-2">{subject}</Td>
						<Td right className="text-ink-2">
							<Ago at={created_at} />
						</Td>
						<Td right className="text-ink-2">
							<Until at={expires_at} />
						</Td>
						<Td right>
							<CopyButton text={link} label="Copy link" />
						</Td>
					</Row>
				))}
			</tbody>
		</Table>
	)
}
