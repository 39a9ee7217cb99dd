// SPDX-License-Identifier: MIT
import { useApp } from "./state/app.js";
import { Home } from "./home/Home.jsx";
import { Session } from "./session.jsx";
import { Gone, Spoken, Toasts } from "./ui/Voices.jsx";
import { TokenPrompt } from "./ui/TokenPrompt.jsx";

export function App() {
  const { view, tokenWanted } = useApp((s) => ({ view: s.route.view, tokenWanted: s.tokenWanted }));
  return (
    <>
      {view === "home" ? <Home /> : <Session />}
      <Gone />
      <Toasts />
      <Spoken />
      {tokenWanted && <TokenPrompt />}
    </>
  );
}
