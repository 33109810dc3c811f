import {
  ActionIcon,
  Badge,
  Burger,
  Button,
  Group,
  NavLink,
  Text,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Component, type ComponentType, lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { Link, Route, Router, Switch, useLocation } from 'wouter';
import { useHashLocation } from 'wouter/use-hash-location';
import { type Account, accountOf } from './account.ts';
import { AccountContext, Fault, useAccount } from './data.tsx';
import { useQuestions } from './questions.tsx';
import { SignIn } from './sign-in.tsx';

const loads: (() => Promise<unknown>)[] = [];

/** A page in a file of its own. All are loaded behind the first: they can be opened while the gateway is away, or newer. */
function page<Props>(load: () => Promise<{ default: ComponentType<Props> }>) {
  loads.push(load);
  return lazy(load);
}

const Overview = page(() => import('./overview.tsx'));
const Sessions = page(() => import('./sessions.tsx'));
const Session = page(() => import('./session.tsx'));
const Approvals = page(() => import('./approvals.tsx'));
const Receipts = page(() => import('./receipts.tsx'));
const Agents = page(() => import('./agents.tsx'));
const Access = page(() => import('./access.tsx'));
const Replay = page(() => import('./replay.tsx'));
const Playground = page(() => import('./playground.tsx'));

const PAGES = [
  ['/', 'Overview'],
  ['/sessions', 'Sessions'],
  ['/approvals', 'Approvals'],
  ['/receipts', 'Receipts'],
  ['/agents', 'Agents'],
  ['/playground', 'Playground'],
  ['/access', 'Access'],
] as const;

export function App() {
  const [account, setAccount] = useState<Account>();
  const [reason, setReason] = useState<string>();
  const end = (why: string | undefined) => {
    setReason(why);
    setAccount(undefined);
  };
  if (account === undefined)
    return (
      <SignIn
        key={reason}
        reason={reason}
        onSignedIn={(credential, scopes) => setAccount(accountOf(credential, scopes, end))}
      />
    );
  return (
    <AccountContext.Provider value={account}>
      <Router hook={useHashLocation}>
        <Shell onLeave={account.leave} />
      </Router>
    </AccountContext.Provider>
  );
}

function Shell({ onLeave }: { onLeave: () => void }) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const [location] = useLocation();
  const waiting = useQuestions().list.length;
  useEffect(() => {
    // What does not come now is loaded, or said to be missing, when it is opened.
    for (const load of loads) load().catch(() => undefined);
  }, []);
  return (
    <div className="shell">
      <button type="button" className="skip" onClick={() => document.getElementById('content')?.focus()}>
        To the content
      </button>
      <header className="shell-header">
        <Group gap="xs">
          <Burger className="narrow" opened={isOpen} onClick={toggle} size="sm" aria-label="Pages" />
          <Text fw={700}>harn-gateway</Text>
        </Group>
        <Group gap="xs">
          <Reach />
          <Scheme />
          <Button variant="default" size="compact-sm" onClick={onLeave}>
            Sign out
          </Button>
        </Group>
      </header>
      <nav className={isOpen ? 'shell-pages open' : 'shell-pages'} aria-label="Pages">
        {PAGES.map(([path, label]) => (
          <NavLink
            key={path}
            component={Link}
            href={path}
            label={label}
            active={path === '/' ? location === '/' : location.startsWith(path)}
            onClick={close}
            rightSection={
              path === '/approvals' && waiting > 0 ? (
                <Badge color="yellow" size="sm" aria-label={`${waiting} waiting`}>
                  {waiting}
                </Badge>
              ) : null
            }
          />
        ))}
        <NavLink component="a" href="/docs" label="API" />
      </nav>
      <main className="shell-main" id="content" tabIndex={-1}>
        <Whole key={location}>
          <Suspense>
            <Switch>
              <Route path="/" component={Overview} />
              <Route path="/sessions" component={Sessions} />
              <Route path="/sessions/:id">{({ id }) => <Session key={id} id={id} />}</Route>
              <Route path="/approvals" component={Approvals} />
              <Route path="/receipts">{() => <Receipts />}</Route>
              <Route path="/receipts/:session">{({ session }) => <Receipts session={session} />}</Route>
              <Route path="/agents" component={Agents} />
              <Route path="/replay/:task">{({ task }) => <Replay key={task} task={task} />}</Route>
              <Route path="/playground">{() => <Playground />}</Route>
              <Route path="/playground/:route">
                {({ route }) => <Playground key={route} route={decodeURIComponent(route)} />}
              </Route>
              <Route path="/access" component={Access} />
              <Route>There is no such page.</Route>
            </Switch>
          </Suspense>
        </Whole>
      </main>
    </div>
  );
}

/** A page that fails says so, and leaves the others as they are. */
class Whole extends Component<{ children: ReactNode }, { fault?: unknown }> {
  override state: { fault?: unknown } = {};

  static getDerivedStateFromError(fault: unknown) {
    return { fault };
  }

  override render() {
    return this.state.fault === undefined ? this.props.children : <Fault of={this.state.fault} />;
  }
}

const TRY_MS = 2_000;

/** Says when the gateway does not answer: what is shown may be old then. */
function Reach() {
  const { client, onReach } = useAccount();
  const [isReached, setReached] = useState(true);
  useEffect(() => onReach(setReached), [onReach]);
  useEffect(() => {
    if (isReached) return;
    // Any answer at all says that it is back.
    const timer = setInterval(() => void client.get('/v1/caller').catch(() => undefined), TRY_MS);
    return () => clearInterval(timer);
  }, [client, isReached]);
  return (
    <Text role="status" size="sm" className={isReached ? 'dim' : 'bad'}>
      {isReached ? 'Live' : 'The gateway does not answer. Trying again…'}
    </Text>
  );
}

function Scheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const next = colorScheme === 'dark' ? 'light' : 'dark';
  return (
    <ActionIcon
      variant="default"
      onClick={() => setColorScheme(next)}
      aria-label={`Show in ${next}`}
      title={`Show in ${next}`}
    >
      {colorScheme === 'dark' ? '☀' : '☾'}
    </ActionIcon>
  );
}
