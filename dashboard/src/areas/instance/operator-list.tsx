import { useQuery } from '@tanstack/react-query'
import { CodeBlock } from '../../ui/copy.tsx'
import { Panel } from '../../ui/page.tsx'
import { Badge } from '../../ui/status.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { useMe } from '../identity/session.ts'
import { Loaded } from './loaded.tsx'
import { operatorsQuery } from './queries.ts'

/** The role can be assigned only on the machine itself, so that somebody who takes over a session cannot create more operators. */
export function OperatorList() {
	const { user } = useMe()
	return (
		<div className="grid gap-4">
			<Panel flush>
				<Loaded query={useQuery(operatorsQuery)}>
					{({ operators }) => (
						<Table label="Operators">
							<thead>
								<tr>
									<Th>E-mail</Th>
									<Th>Name</Th>
								</tr>
							</thead>
							<tbody>
								{operators.map(({ id, email, name }) => (
									<Row key={id}>
										<Td className="font-medium whitespace-nowrap">
											{email} {id === user.id && <Badge tone="accent">you</Badge>}
										</Td>
										<Td className="text-ink-2">{name || '–'}</Td>
									</Row>
								))}
							</tbody>
						</Table>
					)}
				</Loaded>
			</Panel>
			<Panel title="Grant or revoke operator rights">
				<p className="mb-3 text-ink-2">
					Only on the machine that Signalbox runs on. The last operator stays.
				</p>
				<CodeBlock
					label="On the machine"
					code={
						'signalbox admin grant-operator ann@example.org\nsignalbox admin revoke-operator ann@example.org'
					}
				/>
			</Panel>
		</div>
	)
}
