/* SPDX-License-Identifier: MIT */
/* Every command, with what its help states, in the order help lists them. */
#include "cli/cli.h"

const struct tt_cmd tt_cmds[] = {
    {"run", "SCENARIO.json [MORE.json ...] | MODEL.fmu",
     "simulate a scenario, or one FMU alone",
     "Plays the scenario and writes a table of results. Several files are\n"
     "laid over each other, the last one wins. One FMU alone runs its own\n"
     "default experiment. Instances play in a process of their own: "
     "whatever\n"
     "they do to it, the results so far are kept and the instance is named.",
     "  tutti run car.json --until 60 --set e1.power=90\n"
     "  tutti run pump.fmu --input valve.csv --report pump.html\n"
     "  tutti run --resume car.check",
     &tt_cmd_run},
    {"check", "SCENARIO.json [MORE.json ...] | MODEL.fmu",
     "find problems before running",
     "An FMU: its description against the rules of FMI, every finding with\n"
     "its line. A scenario: names, types, units, times and the score, all\n"
     "problems with their places, and what would be decided. Nothing is\n"
     "instantiated, except with --walk.\n"
     "Exit code 2 when there are errors; with --strict, warnings are.",
     "  tutti check car.json\n"
     "  tutti check --walk pump.fmu",
     &tt_cmd_check},
    {"info", "MODEL.fmu | MODEL.ssp | --json FILE [FILE ...]",
     "show what an FMU is and has",
     "Model, capabilities, default experiment, platforms, variables and\n"
     "what its outputs depend on. Nothing is loaded. Of a system structure\n"
     "(SSP) what is in it, and the metadata that it lists. With --json also "
     "of\n"
     "every FMU a scenario has, and of several FMUs; one that cannot be\n"
     "read does not hinder the others.",
     "  tutti info pump.fmu --all\n"
     "  tutti info --json car.json",
     &tt_cmd_info},
    {"score", "SCENARIO.json [MORE.json ...] | MODEL.fmu",
     "show what will be played, operation by operation",
     "A score is the master algorithm as data: what is set, read and\n"
     "stepped, in which order, at initialisation and in each step. It\n"
     "was checked before it is shown. Nothing is instantiated.",
     "  tutti score car.json --master gauss-seidel --svg car.svg",
     &tt_cmd_score},
    {"stability", "SCENARIO.json [MORE.json ...] | MODEL.fmu",
     "find out whether what is played is stable",
     "Plays one macro step again and again with start values and inputs\n"
     "moved a little: the largest eigenvalue of what becomes of that is\n"
     "the verdict. Names what carries it, the largest stable step, whether\n"
     "it is the model, and what other masters would do, at what cost.\n"
     "Where that cannot be known it states why. No results are written.",
     "  tutti stability car.json\n"
     "  tutti stability car.json --step 0.1 --json --svg car.svg",
     &tt_cmd_stability},
    {"sweep", "SCENARIO.json [MORE.json ...] | MODEL.fmu",
     "run a scenario at many points, and table what came of it",
     "Each point is a run with some parameters set. Points are a grid, drawn\n"
     "from distributions, or given in a table. Runs play in several processes\n"
     "at once; one that fails or crashes is named, and the others go on. The\n"
     "same command given again after a kill goes on where it was.\n"
     "Exit code 1 when points failed.",
     "  tutti sweep car.json --vary mass=800:1600:9 -o mass.csv\n"
     "  tutti sweep car.json --vary mass=normal:1200:50 --points lhs:200 \\\n"
     "    --bands bands.csv -o mass.csv\n"
     "  tutti sweep car.json --sensitivity --vary mass=1200 -o slopes.csv",
     &tt_cmd_sweep},
    {"tune", "SCENARIO.json [MORE.json ...]",
     "find settings: master, order, approximation and step",
     "Runs the scenario in many ways and finds the cheapest one whose results\n"
     "are within the tolerance: two masters at small steps must agree first,\n"
     "the best is confirmed by half its step and another master. States what\n"
     "was tried, why it is out, and why the choice is what it is. Ctrl-C\n"
     "keeps the best so far. The scenario's own settings do not count.\n"
     "Exit code 1 when nothing is confirmed within the tolerance.",
     "  tutti tune car.json -o car.tuned.json\n"
     "  tutti tune car.json --tolerance 1e-2 --budget 40runs --json\n"
     "  tutti tune plant.json --until 200 --warm 180",
     &tt_cmd_tune},
    {"results", "RESULTS.csv", "look at results, or cut a part out of them",
     "Prints of each variable where it begins and ends, its least and\n"
     "greatest value and the mean of its rows; or gives the rows\n"
     "themselves. A .csv file may be larger than memory and may still\n"
     "be growing: its last line counts when it is complete. Reads\n"
     ".csv, .mat and .h5.",
     "  tutti results outputs.csv\n"
     "  tutti results outputs.csv --variables level --from 10 --csv\n"
     "  tutti results outputs.csv --points 2000 --json\n"
     "  tutti results outputs.csv -o outputs.mat",
     &tt_cmd_results},
    {"plot", "RESULTS.csv", "draw results on the terminal or as SVG",
     "Each instance has panels of its own; columns that are chosen are\n"
     "drawn together where their sizes allow it. Reads .csv, .mat, .h5.",
     "  tutti plot outputs.csv --columns level,valve\n"
     "  tutti plot outputs.csv --xy body.x,body.y\n"
     "  tutti plot outputs.csv -o outputs.svg",
     &tt_cmd_plot},
    {"compare", "A.csv REFERENCE.csv", "compare results with a reference",
     "Rows are paired by time. Every row and column of the reference\n"
     "must have its partner; columns that only A has do not count.\n"
     "Exit code 0: equal within the tolerance, 1: different, 2: bad\n"
     "input. Reads .csv, .mat and .h5.",
     "  tutti compare outputs.csv reference.csv --tol 1e-6,1e-4",
     &tt_cmd_compare},
    {"new", "A.fmu [B.fmu ...]", "write a scenario to start from",
     "Proposes connections by terminals, by equal names, by names that\n"
     "differ in case or signs, and by physical units, where only one output\n"
     "fits, and states why; for other inputs it lists candidates. Edit the\n"
     "file, then 'tutti check' and 'tutti run' it.",
     "  tutti new tank.fmu controller.fmu -o plant.json", &tt_cmd_new},
    {"convert", "A [OVER.json ...] -o B", "write a scenario in another format",
     "Reads scenarios (.json, several are laid over each other), system\n"
     "structures (.ssp, .ssd, OSP with its files of events), projects of\n"
     "MasterSim (.msim) and FMUs; what is written follows from the ending of\n"
     "B. FMUs of a package that is written as .json are put into a folder\n"
     "beside it. What the format cannot express is listed as warnings; exit\n"
     "code 0 all the same, or with --strict 2, and nothing is written.",
     "  tutti convert vehicle.ssp -o vehicle.json\n"
     "  tutti convert ship/OspSystemStructure.xml -o ship.ssp\n"
     "  tutti convert pump.fmu -o pump.json",
     &tt_cmd_convert},
    {"compile", "MODEL.fmu -o FILE.fmu",
     "build an FMU's sources for this machine",
     "Many FMUs have sources and no library for this machine. This makes\n"
     "the same FMU with one, from what its build description (FMI 3) or\n"
     "model description (FMI 2) names, or else all C files in sources/.\n"
     "The compiler runs in a sandbox, without network.",
     "  tutti compile ball.fmu -o ball-here.fmu\n"
     "  tutti run ball-here.fmu",
     &tt_cmd_compile},
    {"adapt", "PROGRAM.sa|SCENARIO.json [-o FILE.fmu]",
     "check an adaptation, or make an FMU of it",
     "An adaptation is an instance around others, written in a small\n"
     "language, in a file that ends in .sa; scenarios name it as they\n"
     "name an FMU. This checks one, shows what it does (the program with\n"
     "every convention written out), or makes one FMU of it, its inner\n"
     "FMUs and the engine. Of a scenario it shows the clauses in 'adapt'.",
     "  tutti adapt window.sa --explicit\n"
     "  tutti adapt window.sa -o WindowSA.fmu --fmi 3",
     &tt_cmd_adapt},
    {"export", "SCENARIO.json -o FILE.fmu|FILE.ssp",
     "make one FMU, or one package, of a scenario",
     "The FMU holds the scenario, its FMUs and the engine that plays them;\n"
     "any FMI tool can load it, and needs nothing else. Its variables are\n"
     "the scenario's ports, else all unconnected inputs, all outputs and\n"
     "all parameters. A package (.ssp) holds the scenario, its FMUs, tables\n"
     "and values as a system structure that other tools read, too.",
     "  tutti export plant.json -o plant.fmu\n"
     "  tutti export plant.json -o plant.ssp --ssp 2.0\n"
     "  tutti export plant.json -o plant.fmu --fmi 3",
     &tt_cmd_export},
    {"serve", "", "show a page in the browser, and answer over HTTP",
     "A page to couple and run FMUs: open http://127.0.0.1:8082/ in a\n"
     "browser. Programs ask the same address over HTTP, under /api/v1 or\n"
     "as with Maestro 2. Each simulation is a process of its own; an "
     "instance\n"
     "that crashes ends its run only. Ctrl-C ends the service and its "
     "runs;\n"
     "sessions stay for the next one.",
     "  tutti serve\n"
     "  curl http://127.0.0.1:8082/createSession",
     &tt_cmd_serve},
    {"worker", "--token-file FILE",
     "run instances here for masters on other hosts",
     "A scenario elsewhere names this worker, and its instances live here:\n"
     "tutti://HOST:PORT/NAME.fmu for FMUs in --dir, or 'hosts' for "
     "FMUs\n"
     "that are uploaded. Each instance is a process of its own. Clients "
     "with the\n"
     "token can run programs here: keep it, and the network, to "
     "yourself.",
     "  tutti worker --listen 0.0.0.0:7117 --token-file token "
     "--dir fmus",
     &tt_cmd_worker},
    {"completion", "bash | zsh | fish", "print what your shell completes",
     "A script for the shell: commands, options and the words that may\n"
     "follow them, then with the tabulator key.",
     "  tutti completion bash "
     ">~/.local/share/bash-completion/completions/tutti\n"
     "  tutti completion zsh >~/.zfunc/_tutti\n"
     "  tutti completion fish >~/.config/fish/completions/tutti.fish",
     &tt_cmd_completion},
    {"help", "[COMMAND]", "describe a command",
     "Without a command: list them all.", "  tutti help run", &tt_cmd_help},
    {"version", "", "print the version",
     "Prints the version, the FMI versions it runs and the platform.",
     "  tutti version --json", &tt_cmd_version},
    {0},
};
