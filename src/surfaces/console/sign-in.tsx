import { Alert, Button, Center, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { type SubmitEvent, useEffect, useState } from 'react';
import {
  type ConsoleSettings,
  type Credential,
  loadSettings,
  redeemCode,
  tryKey,
  wordsOf,
} from './account.ts';
import { leaveFor, returned } from './issuer.ts';

/** Asks who is there; a link of the gateway, or the way back from an issuer, answers by itself. */
export function SignIn({
  reason,
  onSignedIn,
}: {
  reason: string | undefined;
  onSignedIn: (credential: Credential, scopes: readonly string[] | undefined) => void;
}) {
  const [settings, setSettings] = useState<ConsoleSettings>();
  const [fault, setFault] = useState(reason);
  const [key, setKey] = useState('');
  const [isBusy, setBusy] = useState(false);

  const attempt = async (find: () => Promise<Credential | undefined>) => {
    setBusy(true);
    try {
      const found = await find();
      if (found === undefined) return;
      onSignedIn(found, await tryKey(found.key));
    } catch (error) {
      setFault(wordsOf(error));
    } finally {
      setBusy(false);
    }
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: only once, as a code counts a single time
  useEffect(() => {
    void attempt(async () => {
      setSettings(await loadSettings());
      const key = await redeemCode(window.location.hash);
      return key === undefined ? await returned() : { key };
    });
  }, []);

  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void attempt(async () => ({ key: key.trim() }));
  };
  return (
    <Center mih="100dvh" p="md" component="main">
      <Paper withBorder p="xl" w="100%" maw={420}>
        <Stack>
          <Title order={1} size="h3">
            harn-gateway
          </Title>
          {fault !== undefined && (
            <Alert color="red" role="alert">
              {fault}
            </Alert>
          )}
          {settings?.issuers.map((issuer) => (
            <Button
              key={issuer.issuer}
              onClick={() => void attempt(async () => void (await leaveFor(issuer)))}
            >
              Sign in at {new URL(issuer.issuer).host}
            </Button>
          ))}
          <form onSubmit={submit}>
            <Stack>
              <PasswordInput
                label="API key or access token"
                description="Kept in this page alone, and gone when you close it."
                value={key}
                onChange={({ currentTarget }) => setKey(currentTarget.value)}
                autoComplete="off"
                required
                data-autofocus
              />
              <Button type="submit" loading={isBusy}>
                Sign in
              </Button>
            </Stack>
          </form>
          <Text size="sm" c="dimmed">
            The gateway prints a link that signs in when it starts, and the file of its development key.
          </Text>
        </Stack>
      </Paper>
    </Center>
  );
}
